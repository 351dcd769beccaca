import type { Bench, Subject } from './bench.ts'
import { inStatus } from './callback.ts'
import { check, type Check, type Judgement } from './check.ts'
import { identifiersIn, type Observation } from './evidence.ts'
import {
  bookingOf,
  failed,
  gravest,
  ifBooked,
  isBooked,
  judgeBooked,
  passed,
  review
} from './judging.ts'
import { checksAfterLoss } from './state-after-loss.ts'
import { unknownValues } from './state-unknown.ts'

/** STA: the meaning of each status. */

type Payable = 'deposit' | 'payout' | 'refund'

/** A payment of a kind; a refund needs an order that was paid. */
async function start (bench: Bench, kind: Payable): Promise<Subject> {
  if (kind !== 'refund') return await bench.subjectOf(await bench.drive(kind))
  const paid = await bench.subject('deposit')
  await bench.post('honest COMPLETED', await bench.move(paid, 'COMPLETED'))
  await bench.waitUntilPaid(paid)
  return await bench.subjectOf(await bench.drive('refund', { reference: paid.reference ?? '' }))
}

/** The kinds that can be started and observed here. */
function kindsOf (bench: Bench): Payable[] {
  return (['deposit', 'payout', 'refund'] as const).filter(
    (kind) =>
      bench.canDrive(kind) &&
      bench.canObserve(kind) &&
      (kind !== 'refund' || bench.canDrive('deposit'))
  )
}

interface Seen {
  kind: Payable
  what: string
  seen: Observation | undefined
}

function judgeNotBooked ({ kind, what, seen }: Seen): Judgement {
  if (seen === undefined) {
    return review(`${what}; without a reference nobody can say what was booked`)
  }
  return isBooked(seen)
    ? failed(`${what}, and of the ${kind} the merchant says: ${bookingOf(seen)}`)
    : ifBooked(passed(`${what}, and nothing was booked`))
}

const accepted = check({
  id: 'STA-01',
  title: 'ACCEPTED is booked as done',
  proves: 'ACCEPTED is not booked as done',
  requirement: {
    rule: 'ACCEPTED means that the payment was taken for processing. Only COMPLETED is success.',
    source: 'API rules'
  },
  severity: 'critical',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does: 'A payment stays ACCEPTED; also a payout and a refund, where they can be driven.',
  shouldBe: 'Nothing is booked while it is ACCEPTED.',
  why: 'The customer has not even seen the prompt. Most payments that fail, fail after ACCEPTED.',
  fix:
    'Store the payment as pending when the answer is ACCEPTED. Book it when a callback or a ' +
    'status check says COMPLETED.',
  stage: async (bench) => {
    const tries: Seen[] = []
    for (const kind of kindsOf(bench)) {
      // A refund needs a completed deposit, so the deposit must not stay ACCEPTED.
      if (kind === 'refund') await bench.hold('deposit')
      if (kind === 'refund' && tries.some(({ seen }) => isBooked(seen))) continue
      await bench.hold(kind, { script: [] })
      const subject = await start(bench, kind)
      tries.push({
        kind,
        what: `the ${kind} stayed ACCEPTED`,
        seen: await bench.observeSettled(subject)
      })
    }
    return tries
  },
  judge: (tries) => gravest(tries.map(judgeNotBooked))
})

interface Undecided {
  kind: 'deposit' | 'payout'
  status: string
  steps: Array<{ after: number; to: 'PROCESSING' | 'ENQUEUED' | 'IN_RECONCILIATION' }>
}

/**
 * Statuses that are neither success nor failure, and how a payment gets them. Only payouts are
 * enqueued.
 */
const undecided: readonly Undecided[] = [
  { kind: 'deposit', status: 'PROCESSING', steps: [{ after: 0, to: 'PROCESSING' }] },
  {
    kind: 'deposit',
    status: 'IN_RECONCILIATION',
    steps: [
      { after: 0, to: 'PROCESSING' },
      { after: 0, to: 'IN_RECONCILIATION' }
    ]
  },
  { kind: 'payout', status: 'ENQUEUED', steps: [{ after: 0, to: 'ENQUEUED' }] }
]

const pending = check({
  id: 'STA-02',
  title: 'PROCESSING, ENQUEUED or IN_RECONCILIATION is read as failure',
  proves: 'PROCESSING, ENQUEUED and IN_RECONCILIATION are pending',
  requirement: {
    rule: 'Only FAILED is failure. Every other status but COMPLETED means: wait.',
    source: 'API rules'
  },
  severity: 'high',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does:
    'Payments wait at PROCESSING (as with a redirecting provider), ENQUEUED (an outage) and ' +
    'IN_RECONCILIATION; then they complete.',
  shouldBe: 'No new payment is started, and each is booked when it completes.',
  why: 'The customer is asked to pay again, and both payments complete.',
  fix:
    'Treat every status that is not COMPLETED or FAILED as pending. Do not list the pending ' +
    'ones: new ones may come.',
  stage: async (bench) => {
    const tries: Array<{
      status: string
      subject: Subject
      waiting: Observation | undefined
      seen: Observation | undefined
      ids: number
    }> = []
    for (const { kind, status, steps } of undecided.filter(
      ({ kind }) => bench.canDrive(kind) && bench.canObserve(kind)
    )) {
      await bench.hold(kind, { script: steps })
      const subject = await bench.subject(kind)
      const before = identifiersIn(await bench.journal(), kind).length
      // The redirect flow sends a PROCESSING callback. It makes a handler send a status check.
      await bench.post(
        `honest PROCESSING while the payment is ${status}`,
        inStatus((await bench.mock.payment(kind, subject.id)).record, 'PROCESSING')
      )
      const waiting = await bench.observeSettled(subject)
      const ids = identifiersIn(await bench.journal(), kind).length - before
      // From ENQUEUED a payment is completed by way of PROCESSING.
      if (status === 'ENQUEUED') await bench.move(subject, 'PROCESSING')
      const record = await bench.move(subject, 'COMPLETED')
      await bench.post('honest COMPLETED', record)
      tries.push({ status, subject, waiting, seen: await bench.waitUntilPaid(subject), ids })
    }
    return tries
  },
  judge: (tries) =>
    gravest(
      tries.map(({ status, subject, waiting, seen, ids }) => {
        if (ids > 0) {
          return failed(`while the payment was ${status}, the merchant started another one`)
        }
        if (isBooked(waiting)) {
          return failed(`while the payment was ${status}, the merchant said: ${bookingOf(waiting)}`)
        }
        if (waiting?.failed === true) {
          return failed(`while the payment was ${status}, the merchant said that it had failed`)
        }
        return judgeBooked(`the payment waited at ${status} and completed then`, subject, seen)
      })
    )
})

const refusals = [
  ['PROVIDER_TEMPORARILY_UNAVAILABLE', 'the provider is closed'],
  ['AMOUNT_OUT_OF_BOUNDS', 'the amount is out of bounds']
] as const

const rejected = check({
  id: 'STA-04',
  title: 'REJECTED in an HTTP 200 is success',
  proves: 'REJECTED in an HTTP 200 is no success',
  requirement: {
    rule: 'The status in the body decides. REJECTED comes with HTTP 200.',
    source: 'API rules'
  },
  severity: 'critical',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does:
    'Initiations are answered with 200 REJECTED: the provider is closed, the amount is out of ' +
    'bounds; also payouts.',
  shouldBe: 'Nothing is booked, and the order shows that it is not paid.',
  why: 'The payment was never taken. Who looks at the HTTP status only delivers for nothing.',
  fix:
    'Read status of the body after every initiation: ACCEPTED and DUPLICATE_IGNORED mean ' +
    'pending, REJECTED means failed.',
  stage: async (bench) => {
    const tries: Array<Seen & { isRefused: boolean }> = []
    for (const kind of kindsOf(bench).filter((kind) => kind !== 'refund')) {
      for (const [reject, what] of refusals) {
        await bench.script(kind, { reject })
        const { reference, drive } = await bench.drive(kind)
        tries.push({
          kind,
          what: `the ${kind} was REJECTED because ${what}`,
          isRefused: drive.status !== undefined && drive.status >= 400,
          seen: await bench.observeSettled({ kind, ...(reference !== undefined && { reference }) })
        })
      }
    }
    return tries
  },
  judge: (tries) =>
    gravest(
      tries.map((seen) =>
        seen.seen === undefined && seen.isRefused
          ? passed(`${seen.what}, and the merchant refused the order of its customer`)
          : judgeNotBooked(seen)
      )
    )
})

/** Checks of states, in the order of the catalogue. */
export const stateChecks: readonly Check[] = [
  accepted,
  pending,
  unknownValues,
  rejected,
  ...checksAfterLoss
]
