import { SendRequest, SentRequest } from '../../src/admin-api/examples.ts'
import { demoTokenOf } from '../../src/domain/account.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { isObject } from '../../src/lib/json.ts'
import { sendRequest } from '../http/own-request.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { createExample } from './examples.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

/** Call that sends an example request as the merchant. */
export function sendRoute (app: TypedApp, parts: AdminParts): void {
  app.post(
    '/send',
    {
      config: adminCall(
        'sendExample',
        'Make an example request and send it as the merchant',
        'The answer is that of the payments API. A scenario can delay it or lose it: then the ' +
          'payment may be stored nevertheless.'
      ),
      schema: { body: SendRequest, response: { 200: SentRequest } }
    },
    async ({ account, headers: given, body: { scenario, ...terms } }) => {
      const request = await createExample(account, terms, parts)
      const headers = {
        authorization: given.authorization ?? `Bearer ${demoTokenOf(account.settings)}`,
        'content-type': 'application/json',
        ...(scenario !== undefined && { 'x-momock-scenario': scenario })
      }
      const text = JSON.stringify(request.body)
      const { status, body } = await sendRequest(
        parts.links.listening,
        'POST',
        request.path,
        headers,
        text
      )
      const id = String(request.body[kinds[request.kind].idField])
      return { id, request, status, body: isObject(body) ? body : { problem: String(body ?? '') } }
    }
  )
}
