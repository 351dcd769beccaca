import type { Static } from '@sinclair/typebox'
import { ResetAnswer, ResetQuery, ResetRequest } from '../../src/admin-api/reset.ts'
import { createValidator } from '../../src/lib/validator.ts'
import { resetParts, type ResetPart } from '../../src/domain/reset-parts.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { toRefusal } from '../http/schemas.ts'
import { AdminError, suggestName } from './errors.ts'
import type { AdminParts } from './parts.ts'

const list = resetParts.join(', ')
const bodyValidator = createValidator(ResetRequest, 'the body')

/** Call that resets an account to its start. */
export function resetRoutes (app: TypedApp, { accountLifecycle }: AdminParts): void {
  app.post(
    '/reset',
    {
      config: {
        repairs: true,
        documentation: {
          id: 'resetAccount',
          tag: 'admin',
          summary: 'Reset this account to its start',
          body: ResetRequest,
          description:
            'Deletes payments with their money, links and statements, callbacks, scenarios, ' +
            'outages, changed settings and the journal, and resets the clock. ?keep= names the ' +
            `parts that stay, of ${list}; keep in the body, which is optional, does the same. ` +
            'Snapshots stay. The coverage stays unless ?forget=coverage, or forget in the body, ' +
            'names it. An account that is set aside keeps nothing else.'
        }
      },
      schema: { querystring: ResetQuery, response: { 200: ResetAnswer } }
    },
    async ({ account, query, body }) => {
      const wanted = readKeptParts(query, readBody(body))
      if (wanted.includes('payments') !== wanted.includes('callbacks')) {
        throw new AdminError(
          'BAD_REQUEST',
          'keep: payments and callbacks are kept only together, because one is about the other',
          'use keep=payments,callbacks'
        )
      }
      // What set the account aside would do so again at the next start.
      const kept =
        account.setAside === undefined ? wanted : wanted.filter((part) => part === 'coverage')
      await accountLifecycle.resetAccount(account, kept)
      return {
        reset: resetParts.filter((part) => !kept.includes(part)),
        kept: resetParts.filter((part) => kept.includes(part))
      }
    }
  )
}

/** Reads the body, which is optional. */
function readBody (body: unknown): Static<typeof ResetRequest> {
  if (body === undefined || body === null) return {}
  if (bodyValidator.check(body)) return body
  throw new AdminError(
    'BAD_REQUEST',
    bodyValidator
      .all(body)
      .map((problem) => toRefusal(problem, body).message)
      .join('; '),
    'send no body, or one such as { "keep": ["clock"] }'
  )
}

function readKeptParts (
  query: Static<typeof ResetQuery>,
  body: Static<typeof ResetRequest>
): ResetPart[] {
  const isForgotten = query.forget !== undefined || body.forget !== undefined
  return [
    ...(query.keep ?? '').split(','),
    ...(body.keep ?? []),
    ...(isForgotten ? [] : ['coverage'])
  ]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(readPart)
}

function readPart (name: string): ResetPart {
  const part = resetParts.find((part) => part === name)
  if (part !== undefined) return part
  throw new AdminError(
    'BAD_REQUEST',
    `keep: '${name.slice(0, 40)}' is not a part of an account; the parts are ${list}`,
    suggestName(name, resetParts)
  )
}
