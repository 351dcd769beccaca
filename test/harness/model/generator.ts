import fc from 'fast-check'
import type { Kind, Version } from '../../support/bodies.ts'
import { advanceBy, answerPhone, attempt, cancel, checkout, duplicate } from './commands.ts'
import { everyKind, expire, freeze, initiate, move, outage, refund, reset } from './commands.ts'
import { restart, restore, script, snapshot, split, status, unknown } from './commands.ts'
import type { Command } from './commands.ts'
import type { Availability, End, Operation, ScriptKind } from './state.ts'

const version = fc.constantFrom<Version>('v1', 'v2')
const scriptKind = fc.constantFrom<ScriptKind>('deposit', 'payout', 'refund', 'remittance')
const own = fc.constantFrom<ScriptKind>('deposit', 'payout', 'remittance')
const which = fc.nat({ max: 20 })
const amount = fc.integer({ min: 10, max: 60 })
const delay = fc.constantFrom(1, 2, 40, 50, 60, 450, 1000)
const time = fc.constantFrom(1, 10, 49, 50, 500, 501, 1000, 60_000, 180_000)
const ends = fc.constantFrom<End>('COMPLETED', 'COMPLETED', 'FAILED')
const operation = fc.constantFrom<Operation>('DEPOSIT', 'PAYOUT', 'REFUND', 'REMITTANCE')
const availability = fc.constantFrom<Availability>(
  'OPERATIONAL',
  'OPERATIONAL',
  'DELAYED',
  'CLOSED'
)
const name = fc.constantFrom('a', 'b')
const signal = fc.constantFrom<NodeJS.Signals>('SIGKILL', 'SIGTERM')
const decision = fc.constantFrom<'approve' | 'decline'>('approve', 'decline')
const aScript = fc.record({ processing: delay, end: delay, to: ends })

type Weighted = { weight: number; arbitrary: fc.Arbitrary<Command> }

/** Every command. A restart takes as long as a hundred others, so there are few. */
const commands: Record<string, Weighted> = {
  initiate: {
    weight: 12,
    arbitrary: fc.tuple(own, version, amount).map((args) => initiate(...args))
  },
  advance: { weight: 12, arbitrary: time.map(advanceBy) },
  status: { weight: 6, arbitrary: fc.tuple(which, version).map((args) => status(...args)) },
  script: { weight: 6, arbitrary: fc.tuple(scriptKind, aScript).map((args) => script(...args)) },
  split: { weight: 5, arbitrary: amount.map(split) },
  refund: {
    weight: 5,
    arbitrary: fc.tuple(which, version, amount).map((args) => refund(...args))
  },
  duplicate: { weight: 4, arbitrary: which.map(duplicate) },
  checkout: { weight: 4, arbitrary: amount.map(checkout) },
  attempt: { weight: 5, arbitrary: which.map(attempt) },
  expire: { weight: 2, arbitrary: which.map(expire) },
  outage: {
    weight: 3,
    arbitrary: fc.tuple(operation, availability).map((args) => outage(...args))
  },
  move: { weight: 5, arbitrary: fc.tuple(which, which).map((args) => move(...args)) },
  cancel: { weight: 3, arbitrary: which.map(cancel) },
  phone: { weight: 3, arbitrary: fc.tuple(which, decision).map((args) => answerPhone(...args)) },
  freeze: { weight: 2, arbitrary: time.map(freeze) },
  unknown: { weight: 1, arbitrary: fc.constantFrom<Kind>(...everyKind).map(unknown) },
  snapshot: { weight: 2, arbitrary: name.map(snapshot) },
  restore: { weight: 2, arbitrary: name.map(restore) },
  reset: { weight: 1, arbitrary: fc.constant(reset) },
  restart: { weight: 1, arbitrary: signal.map(restart) }
}

/** Any command. */
export const anyCommand: fc.Arbitrary<Command> = fc.oneof(...Object.values(commands))
