import type { Static } from '@sinclair/typebox'
import { answerWord, closed, createName, describe, Type } from '../lib/typebox.ts'
import { DateTime } from '../wire/fields.ts'
import { createTimestamp } from './fields.ts'

/** Requests and answers of the calls about snapshots. */

export const SnapshotPath = Type.Object({
  name: Type.String({ description: 'the name of the snapshot', examples: ['paid-once'] })
})

export const SnapshotRequest = Type.Object(
  {
    name: createName(64, ['paid-once'])
  },
  { ...closed, description: '{ name }', examples: [{ name: 'paid-once' }] }
)

export const SnapshotAnswer = Type.Object(
  {
    name: Type.String({ description: 'its name' }),
    taken: createTimestamp("when it was taken, on the machine's clock"),
    clock: Type.Object(
      {
        mode: describe('whether it runs or stands', answerWord('running', 'frozen')),
        now: describe('the time of the account', DateTime),
        speed: describe('how fast it runs', Type.Number())
      },
      { ...closed, description: 'the clock of the account at that moment' }
    ),
    seed: Type.String({ description: 'the seed of the server that took it' }),
    payments: Type.Integer({ minimum: 0, description: 'the number of payments in it' }),
    scenarios: Type.Array(Type.String(), {
      description: 'the names of the scenarios of the account'
    })
  },
  closed
)

/** Snapshot of an account. */
export interface Snapshot extends Static<typeof SnapshotAnswer> {}

export const SnapshotList = Type.Object({ snapshots: Type.Array(SnapshotAnswer) }, closed)
