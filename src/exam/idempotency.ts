import type { Bench } from './bench.ts'
import { inStatus } from './callback.ts'
import { check, type Check } from './check.ts'
import { answerTo, isAcknowledged, isStatusCheck, type Exchange } from './evidence.ts'
import {
  about,
  bookingOf,
  failed,
  gravest,
  ifAcknowledged,
  ifBooked,
  judgeBooked,
  judgeOnce,
  review,
  warning,
  type Once
} from './judging.ts'
import { systemClock } from './mock.ts'
import { attempts } from './idempotency-attempts.ts'
import { resent } from './resend.ts'

/** IDE: repeated, simultaneous, late and reordered callbacks. */

const repeats = 3
const atOnce = 20
const mostRaces = 3

const repeated = check({
  id: 'IDE-01',
  title: 'a repeat counts twice',
  proves: 'a repeat counts once',
  requirement: {
    rule: 'A callback may come more than once. The second one changes nothing.',
    source: 'Standard Webhooks'
  },
  severity: 'critical',
  depth: [1, 2],
  needs: ['deposit', 'observe', 'effects'],
  does: 'An honest COMPLETED is posted, and three more times after it, each signed anew.',
  shouldBe: 'Every one is answered with 2xx, and there is one effect.',
  why:
    'The service repeats a callback whenever an answer is lost. Goods are delivered, or ' +
    'balances credited, twice.',
  fix:
    "Make the state change itself the guard: UPDATE … SET status = 'paid' WHERE id = ? AND " +
    "status = 'pending', and act only when a row was changed.",
  stage: async (bench) => {
    await bench.hold()
    const subject = await bench.subject()
    const record = await bench.move(subject, 'COMPLETED')
    await bench.post('honest COMPLETED', record)
    await bench.waitUntilPaid(subject)
    const answers: Exchange[] = []
    for (let n = 1; n <= repeats; n++) {
      answers.push(await bench.post(`repeat ${n}`, record))
      await bench.settle()
    }
    return {
      what: `the callback came ${repeats + 1} times`,
      subject,
      seen: await bench.observe(subject),
      refused: answers.find((exchange) => !isAcknowledged(exchange))
    }
  },
  judge: ({ refused, ...once }) => {
    const judgement = judgeOnce(once)
    if (judgement.verdict !== 'PASSED' || refused === undefined) return judgement
    return about(
      refused,
      ifAcknowledged(
        warning(
          `there is one effect, but ${refused.label} ${answerTo(refused)}; the ` +
            'service will send it again for 15 minutes'
        )
      )
    )
  }
})

const simultaneous = check({
  id: 'IDE-02',
  title: 'repeats at the same moment count twice',
  proves: 'repeats at the same moment count once',
  requirement: {
    rule: 'Callbacks may be delivered at the same time. Only one of them takes effect.',
    source: 'Standard Webhooks'
  },
  severity: 'critical',
  depth: [1, 2],
  needs: ['deposit', 'observe', 'effects'],
  does: 'The same honest COMPLETED is posted 20 times at the same moment, over 20 connections.',
  shouldBe: 'There is one effect.',
  why:
    'To look first and then to act is a race. Two workers find "not paid yet", and both ' +
    'deliver.',
  fix:
    'Lock the row (SELECT … FOR UPDATE), or change the state with one conditional UPDATE and ' +
    'act only when it changed a row.',
  stage: async (bench) => {
    await bench.hold()
    const tries: Array<Once & { isForestalled: boolean }> = []
    // A job that books the payment before the callbacks arrive hides the race.
    do tries.push(await raceCallbacks(bench))
    while (tries.at(-1)?.isForestalled === true && tries.length < mostRaces)
    return tries
  },
  judge: (tries) => {
    const raced = tries.filter(({ isForestalled }) => !isForestalled)
    const judgement = gravest(tries.map(judgeOnce))
    return raced.length > 0 || judgement.verdict !== 'PASSED'
      ? judgement
      : review(
        'the application asked the API and booked the payment before the callbacks came, ' +
            `${tries.length} times; run the check again`
      )
  }
})

/** Posts one callback many times at once. */
async function raceCallbacks (bench: Bench): Promise<Once & { isForestalled: boolean }> {
  const subject = await bench.subject()
  let moved = 0
  const [first] = await bench.postAtOnce('one of 20 at once', atOnce, async () => {
    moved = systemClock.now()
    const record = await bench.move(subject, 'COMPLETED')
    return Array.from({ length: atOnce }, () => record)
  })
  const seen = await bench.observeSettled(subject)
  const asked = (await bench.journal())
    .filter((entry) => isStatusCheck(entry, [subject.id]))
    .map(({ request }) => request.loggedDate)
  return {
    what: `the callback came ${atOnce} times at once`,
    subject,
    seen,
    isForestalled: asked.some((at) => at >= moved && at <= first.at)
  }
}

const late = check({
  id: 'IDE-03',
  title: 'a late state overwrites a final one',
  proves: 'a late state does not overwrite a final one',
  requirement: {
    rule: 'Callbacks have no order. COMPLETED and FAILED are final.',
    source: 'API rules'
  },
  severity: 'high',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does: 'An honest COMPLETED is posted, then an older FAILED and an older PROCESSING.',
  shouldBe: 'The payment stays booked, once.',
  why: 'A paid order becomes unpaid, or is refunded, because of a message that was late.',
  fix:
    'Change a payment only when it is not in a final state. When in doubt, ask the status ' +
    'check.',
  stage: async (bench) => {
    await bench.hold()
    const subject = await bench.subject()
    const record = await bench.move(subject, 'COMPLETED')
    const first = await bench.post('honest COMPLETED', record)
    const before = await bench.waitUntilPaid(subject)
    for (const status of ['FAILED', 'PROCESSING']) {
      // A status check shows the same status, because it can be as old as a callback.
      await bench.post(`late ${status}`, inStatus(record, status))
    }
    return { subject, first, before, after: await bench.observeSettled(subject) }
  },
  judge: ({ subject, first, before, after }) => {
    if (before !== undefined && !before.paid) {
      return ifBooked(
        failed(
          `the honest COMPLETED ${answerTo(first)}, and the merchant says: ` +
            `${bookingOf(before)}`
        )
      )
    }
    if (after === undefined) return review('without a reference nobody can say what was booked')
    if (after.failed === true) {
      return failed(`after the late callbacks the merchant says: ${bookingOf(after)}`)
    }
    return judgeBooked('FAILED and PROCESSING came after COMPLETED', subject, after)
  }
})

const early = check({
  id: 'IDE-05',
  title: 'a callback that comes before the answer is lost',
  proves: 'a callback that comes before the answer is booked',
  requirement: {
    rule: 'The identifier is stored before the payment is initiated.',
    source: 'API rules'
  },
  severity: 'high',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does: 'The callback of a deposit is delivered before the answer to its initiation.',
  shouldBe: 'The payment is booked, at the latest when the callback is repeated.',
  why: 'The handler does not know the identifier yet, and the answer comes too late to matter.',
  fix: 'Make the depositId yourself and store it, with the order, before you call the API.',
  stage: async (bench) => {
    await bench.script('deposit', {
      script: [
        { after: 0, to: 'PROCESSING' },
        { after: 0, to: 'COMPLETED' }
      ],
      callback: { beforeAnswer: true }
    })
    const subject = await bench.subjectOf(await bench.drive())
    await bench.settle()
    // A callback without acknowledgement is repeated after a second, on the account's clock.
    await bench.mock.advance('2s')
    return {
      what: 'the callback came before the answer',
      subject,
      seen: await bench.waitUntilPaid(subject)
    }
  },
  judge: judgeOnce
})

/** Checks of idempotency, in the order of the catalogue. */
export const idempotencyChecks: readonly Check[] = [
  repeated,
  simultaneous,
  late,
  attempts,
  early,
  resent
]
