import type { Subject } from './bench.ts'
import type { PaymentRecord } from './callback.ts'
import { check, type Judgement } from './check.ts'
import { answerTo, isAcknowledged, type Exchange, type Observation } from './evidence.ts'
import {
  about,
  bookingOf,
  failed,
  gravest,
  ifAcknowledged,
  isBooked,
  judgeBooked,
  passed,
  review
} from './judging.ts'

/** Callbacks with something in them that no documentation lists today. */
const unknowns: ReadonlyArray<{
  what: string
  to: 'COMPLETED' | 'FAILED' | undefined
  changes: PaymentRecord
}> = [
  {
    what: 'COMPLETED with unknown fields',
    to: 'COMPLETED',
    changes: { loyalty: { points: [1, 2, 3], level: null }, note: 'new' }
  },
  {
    what: 'FAILED with an unknown failure code',
    to: 'FAILED',
    changes: {
      failureReason: { failureCode: 'CODE_OF_TOMORROW', failureMessage: 'A failure that is new.' }
    }
  },
  { what: 'callback with an unknown status', to: undefined, changes: { status: 'ON_HOLD' } }
]

/** STA-03: values that the documentation does not list today. */
export const unknownValues = check({
  id: 'STA-03',
  title: 'unknown fields, codes or statuses crash or are booked',
  proves: 'unknown fields, codes and statuses do no harm',
  requirement: {
    rule: 'The API may add fields, failure codes and statuses at any time.',
    source: 'API rules'
  },
  severity: 'high',
  depth: [0, 2],
  needs: [],
  does:
    'Honest callbacks with extra fields, an unknown failure code and an unknown status are ' +
    'posted.',
  shouldBe: 'None is answered with 5xx. Only the COMPLETED one is booked.',
  why: 'On the day the service adds a field, the application stops taking callbacks.',
  fix:
    'Ignore fields you do not know, treat unknown failure codes as a failure, and unknown ' +
    'statuses as pending.',
  stage: async (bench) => {
    const tries: Unknown[] = []
    await bench.hold()
    for (const { what, to, changes } of unknowns) {
      const subject = await bench.subject()
      await bench.mock.orderStatusChecks({ then: { record: { ...changes } } })
      const record =
        to === undefined
          ? subject.record
          : await bench.move(subject, to, to === 'FAILED' ? 'UNSPECIFIED_FAILURE' : undefined)
      const exchange = await bench.post(what, { ...record, ...changes })
      const seen =
        to === 'COMPLETED'
          ? await bench.waitUntilPaid(subject)
          : await bench.observeSettled(subject)
      await bench.mock.orderStatusChecks({})
      tries.push({ what, to, subject, exchange, seen })
    }
    return { tries, isKnown: bench.canDrive('deposit') }
  },
  judge: ({ tries, isKnown }) =>
    gravest(tries.map((one) => about(one.exchange, judgeUnknown(one, isKnown))))
})

interface Unknown {
  what: string
  to: string | undefined
  subject: Subject
  exchange: Exchange
  seen: Observation | undefined
}

function judgeUnknown (one: Unknown, isKnown: boolean): Judgement {
  const { what, to, subject, exchange, seen } = one
  const answer = `the ${what} ${answerTo(exchange)}`
  if (exchange.status === undefined || exchange.status >= 500) {
    return ifAcknowledged(failed(answer))
  }
  if (to === 'COMPLETED' && !isAcknowledged(exchange)) {
    return isKnown
      ? ifAcknowledged(failed(answer))
      : review(`${answer}; give drive.deposit to know whether that is because of the fields`)
  }
  if (to === 'COMPLETED') {
    return seen === undefined ? passed(answer) : judgeBooked(answer, subject, seen)
  }
  return isBooked(seen)
    ? failed(`${answer}, and the merchant says: ${bookingOf(seen)}`)
    : passed(answer)
}
