import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import { createValidator } from '../../src/lib/validator.ts'
import {
  resetParts,
  type ResetPart,
  type AccountLifecycle
} from '../../src/services/account-lifecycle.ts'
import { closed, wordOf } from '../../src/wire/fields.ts'
import { AdminError, suggestName } from './guard.ts'

const list = resetParts.join(', ')

/**
 * What a reset leaves unless it is told to forget it: it is of the whole run of the tests, which
 * may reset between any two of them.
 */
const Forgettable = Type.Literal('coverage', { description: "'coverage', which stays otherwise" })

const ResetRequest = Type.Object(
  {
    keep: Type.Optional(
      Type.Array(Type.String({ description: `one of ${list}` }), {
        description: `a list of ${list}`,
        examples: [['clock']]
      })
    ),
    forget: Type.Optional(
      Type.Array(Forgettable, { description: "['coverage'], which stays otherwise" })
    )
  },
  {
    ...closed,
    description: '{ keep: [ … ], forget: [ … ] }, or nothing',
    examples: [{ keep: ['clock'] }]
  }
)

const judge = createValidator(ResetRequest)

export const ResetAnswer = Type.Object(
  { reset: Type.Array(wordOf(...resetParts)), kept: Type.Array(wordOf(...resetParts)) },
  closed
)

/** An account back to how it started. */
export function resetRoutes (app: FastifyInstance, accountLifecycle: AccountLifecycle): void {
  app.post(
    '/reset',
    {
      config: {
        documentation: {
          id: 'resetAccount',
          tag: 'admin',
          summary: 'Set this account back to how it started',
          body: ResetRequest,
          description:
            'Payments with their money, links and statements, callbacks, scenarios, outages, ' +
            `changed settings, the clock and the journal. ?keep= names what stays, of ${list}, ` +
            'and so does keep in the body, which may be left out. Snapshots stay, and so does ' +
            'the coverage unless ?forget=coverage, or forget in the body, names it.'
        }
      },
      schema: {
        querystring: Type.Object(
          {
            keep: Type.Optional(Type.String({ description: `a list of ${list}, with commas` })),
            forget: Type.Optional(Forgettable)
          },
          closed
        ),
        response: { 200: ResetAnswer }
      }
    },
    async (request) => {
      const { keep = '', forget } = request.query as { keep?: string; forget?: 'coverage' }
      const more = readResetWishes(request.body)
      const stays = forget === undefined && more.forget === undefined ? ['coverage'] : []
      const kept = [...keep.split(','), ...(more.keep ?? []), ...stays]
        .map((part) => part.trim())
        .filter((part) => part !== '')
        .map(partOf)
      if (kept.includes('payments') && !kept.includes('callbacks')) {
        throw new AdminError(
          'BAD_REQUEST',
          'keep: payments cannot stay without callbacks, because every payment that has ' +
            'ended keeps its own',
          'use keep=payments,callbacks'
        )
      }
      await accountLifecycle.resetAccount(request.account, kept)
      return {
        reset: resetParts.filter((part) => !kept.includes(part)),
        kept: resetParts.filter((part) => kept.includes(part))
      }
    }
  )
}

/** What a body says should stay, or go; there need not be one. */
function readResetWishes (body: unknown): Static<typeof ResetRequest> {
  if (body === undefined || body === null) return {}
  if (judge.check(body)) return body
  throw new AdminError(
    'BAD_REQUEST',
    judge
      .all(body)
      .map(({ message }) => message.replace('the value', 'the body'))
      .join('; '),
    'send no body, or one such as { "keep": ["clock"] }'
  )
}

function partOf (name: string): ResetPart {
  const part = resetParts.find((part) => part === name)
  if (part !== undefined) return part
  throw new AdminError(
    'BAD_REQUEST',
    `keep: '${name.slice(0, 40)}' is not a part of an account; the parts are ${list}`,
    suggestName(name, resetParts)
  )
}
