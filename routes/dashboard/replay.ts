import type { Static } from '@sinclair/typebox'
import { JournalPage, type JournalEntry } from '../../src/admin-api/requests.ts'
import { createValidator } from '../../src/lib/validator.ts'
import type { ActionContext, Fields } from './actions.ts'
import type { AdminCall } from './admin-call.ts'

type Entry = Static<typeof JournalEntry>

const pageValidator = createValidator(JournalPage)

/** Headers that belong to a request itself, and not to its connection or its sender. */
const ownHeaders =
  /^(content-(type|digest)|signature(-input|-date)?|accept-(signature|digest)|x-momock-.*)$/

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Reads the method of a call. */
export function readMethod (text: string): AdminCall['method'] {
  const method = methods.find((method) => method === text)
  if (method === undefined) throw new Error(`the method must be one of ${methods.join(', ')}`)
  return method
}

/** Repeats a request of the journal with the token of its account. */
export async function replayRequest (
  { request = '', fresh }: Fields,
  { ask, newId }: ActionContext
): Promise<AdminCall> {
  const before = Number(request) + 1
  const { body } = await ask({
    method: 'GET',
    path: `/__admin/requests?before=${before}&limit=1`
  })
  const [entry] = pageValidator.check(body) ? body.requests : []
  if (entry?.id !== Number(request)) throw new Error('the journal has dropped this request')
  const call = writeRequest(entry)
  const [payment] = entry.payments
  if (fresh === undefined || payment === undefined) return call
  const text = JSON.stringify(call.body).replaceAll(payment.id, newId())
  return { ...call, body: JSON.parse(text) }
}

/** Request of a journal entry. The journal hides credentials: the account's token is sent. */
export function writeRequest ({ request }: Entry): AdminCall {
  const { method, url, headers, body } = request
  if (request.bodyTruncated === true) throw new Error('the journal has only a part of the body')
  const isJson = typeof body === 'object' && body !== null
  const kept = Object.entries(headers).filter(
    ([name]) => ownHeaders.test(name) && !(isJson && name === 'content-type')
  )
  return {
    method: readMethod(method),
    path: url,
    ...(kept.length > 0 && { headers: Object.fromEntries(kept) }),
    ...(body !== undefined && { body: isJson ? body : String(body) })
  }
}

/** Tells whether the journal has all that a repetition of a request needs. */
export function canReplay ({ request: { method, bodyTruncated } }: Entry): boolean {
  return bodyTruncated !== true && methods.some((known) => known === method)
}
