import type { Client } from './helper.ts'

/** A browser that visits the dashboard. */

const asBrowser = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }

/** Sends a request of a browser, without following redirects. */
export async function visit (
  { url }: Pick<Client, 'url'>,
  path: string,
  init: RequestInit & { headers?: Record<string, string> } = {}
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(url + path, {
    redirect: 'manual',
    ...init,
    headers: { ...asBrowser, ...init.headers }
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Submits the form of an action. */
export async function act (
  mock: Pick<Client, 'url'>,
  action: string,
  fields: Record<string, string>,
  headers = {}
) {
  return await visit(mock, `/__admin/ui/actions/${action}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers
  })
}

/** Submits the form of an action, and follows the redirect to the page after it. */
export async function actAndSee (
  mock: Client,
  action: string,
  fields: Record<string, string>
): Promise<string> {
  const { headers, text } = await act(mock, action, fields)
  const location = headers.get('location')
  return unescape(location === null ? text : (await visit(mock, location)).text)
}

/** Shows a page as a reader sees its texts. */
export async function see (mock: Client, path: string): Promise<string> {
  return unescape((await visit(mock, `/__admin/ui${path}`)).text)
}

function unescape (text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
}
