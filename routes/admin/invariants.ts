import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import type { Auditor } from '../../src/services/auditor.ts'
import { invariants } from '../../src/domain/invariants.ts'
import { closed, wordOf } from '../../src/wire/fields.ts'
import { adminCall } from './guard.ts'

export const InvariantsAnswer = Type.Object(
  {
    hold: Type.Boolean({ description: 'do all of them hold?' }),
    invariants: Type.Array(
      Type.Object(
        {
          name: wordOf(...Object.keys(invariants)),
          rule: Type.String({ description: 'what must be true' }),
          checked: Type.Integer({
            minimum: 0,
            description: 'how many payments or wallets were looked at'
          }),
          broken: Type.Integer({ minimum: 0, description: 'of how many it is not true' }),
          offenders: Type.Array(
            Type.Object({ what: Type.String(), problem: Type.String() }, closed),
            { description: 'the first hundred of them' }
          )
        },
        closed
      )
    )
  },
  closed
)

/** The books of an account, audited. */
export function invariantRoute (app: FastifyInstance, auditor: Auditor): void {
  app.get(
    '/invariants',
    {
      config: adminCall(
        'checkInvariants',
        'Is everything in this account as it must always be?',
        'Goes through every payment and every wallet in the ledger. If anything is broken, ' +
          'that is a fault of the mock, or of who changed its ledger by hand.'
      ),
      schema: { response: { 200: InvariantsAnswer } }
    },
    async ({ account }) => {
      const verdicts = await auditor.auditAccount(account)
      return { hold: verdicts.every(({ broken }) => broken === 0), invariants: verdicts }
    }
  )
}
