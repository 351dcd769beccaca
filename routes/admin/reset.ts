import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { nearest } from '../../src/check.ts'
import { resetParts, type ResetPart, type Steward } from '../../src/steward.ts'
import { closed, word } from '../../src/wire/fields.ts'
import { admin, AdminError } from './guard.ts'

const list = resetParts.join(', ')

export const ResetAnswer = Type.Object({ reset: Type.Array(word(...resetParts)), kept: Type.Array(word(...resetParts)) }, closed)

/** An account back to how it started. */
export function resetRoutes (app: FastifyInstance, steward: Steward): void {
  app.post('/reset', {
    config: admin('resetAccount', 'Set this account back to how it started', `Payments with their money, links and statements, callbacks, scenarios, outages, changed settings, the clock and the journal. ?keep= names what stays, of ${list}. Snapshots stay.`),
    schema: {
      querystring: Type.Object({ keep: Type.Optional(Type.String({ description: `a list of ${list}, with commas` })) }, closed),
      response: { 200: ResetAnswer }
    }
  }, async (request) => {
    const { keep = '' } = request.query as { keep?: string }
    const kept = keep.split(',').map((part) => part.trim()).filter((part) => part !== '').map(partOf)
    if (kept.includes('payments') && !kept.includes('callbacks')) throw new AdminError('BAD_REQUEST', 'keep: payments cannot stay without callbacks, because every payment that has ended keeps its own', 'use keep=payments,callbacks')
    await steward.reset(request.account, kept)
    return { reset: resetParts.filter((part) => !kept.includes(part)), kept: resetParts.filter((part) => kept.includes(part)) }
  })
}

function partOf (name: string): ResetPart {
  const part = resetParts.find((part) => part === name)
  if (part !== undefined) return part
  const near = nearest(name, resetParts)
  throw new AdminError('BAD_REQUEST', `keep: '${name.slice(0, 40)}' is not a part of an account; the parts are ${list}`, near === undefined ? undefined : `did you mean ${near}?`)
}
