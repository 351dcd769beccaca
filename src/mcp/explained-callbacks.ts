import type { Static } from '@sinclair/typebox'
import type { CallbackPage } from '../admin-api/callbacks.ts'
import type { CallMock } from './tools.ts'

/** Adds to each callback an explanation of the signature of its last attempt. */
export async function explainCallbacks (
  page: Static<typeof CallbackPage>,
  call: CallMock
): Promise<unknown> {
  const explained = page.callbacks.map(async (callback) => {
    const attempt = callback.attempts.at(-1)
    if (attempt === undefined) return callback
    const { headers, body } = attempt.request
    const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
    const signature = await call('POST', '/signatures/explain', {
      method: 'POST',
      url: callback.url,
      headers: Object.fromEntries(texts),
      body,
      at: attempt.at
    })
    return { ...callback, signature }
  })
  return { ...page, callbacks: await Promise.all(explained) }
}
