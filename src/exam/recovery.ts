import { check, type Check, type Judgement } from './check.ts'
import {
  answerTo,
  identifiersIn,
  isAcknowledged,
  isInitiation,
  isStatusCheck
} from './evidence.ts'
import {
  bookingOf,
  failed,
  ifBooked,
  isBooked,
  judgeBooked,
  passed,
  review,
  warning
} from './judging.ts'
import type { JournalEntry } from './mock.ts'

/** REC: lost answers and lost callbacks. */

const lost = check({
  id: 'REC-01',
  title: 'a lost answer is retried with a new identifier: two charges',
  proves: 'a lost answer leads to one charge',
  requirement: {
    rule: 'A retry uses the identifier of the first try. Only then it is safe.',
    source: 'API rules'
  },
  severity: 'critical',
  depth: [1],
  needs: ['deposit'],
  does:
    'A deposit is stored, then the connection is reset before the answer. Identifiers are ' +
    'counted.',
  shouldBe: 'The merchant sends one identifier, however often it tries.',
  why: 'The first payment exists. A second one with another identifier charges the customer twice.',
  fix:
    'Make the identifier outside of the call that is retried, and store it before the first ' +
    'try.',
  stage: async (bench) => {
    await bench.hold()
    await bench.hold('deposit', { fault: 'lost', times: 1, per: 'payment' })
    const { drive, ids } = await bench.drive()
    // A job may retry later. After a refusal there is no retry to wait for.
    const isWaiting = drive.reference !== undefined && (drive.status ?? 500) < 400
    await bench.watcher.waitForJournal(
      (entries) =>
        entries.filter((entry) => isInitiation(entry, 'deposit')).length > 1 ||
        entries.some((entry) => isStatusCheck(entry, ids)),
      isWaiting ? bench.settings.patienceMs : 0
    )
    await bench.settle()
    return {}
  },
  judge: (_, { journal }) => {
    const ids = identifiersIn(journal, 'deposit')
    if (ids.length === 0) return review('no deposit arrived at the API')
    return ids.length === 1
      ? passed('one identifier was sent')
      : failed(`for one payment ${ids.length} identifiers were sent: ${ids.join(', ')}`)
  }
})

const payout = check({
  id: 'REC-02',
  title: 'an unanswered payout is marked failed, and still goes out',
  proves: 'an unanswered payout stays pending until its end is known',
  requirement: {
    rule: 'No answer is not a no. The status check says what became of a payment.',
    source: 'API rules'
  },
  severity: 'critical',
  depth: [1, 2],
  needs: ['payout', 'observe'],
  does: 'A payout is stored and its answer lost; later it completes.',
  shouldBe:
    'The payout stays pending, nothing is given back, and it is booked once when it completes.',
  why: 'The user gets the money back, and the payout as well.',
  fix:
    'Keep the payout pending when there is no answer. Ask the status check, and give money ' +
    'back only when it says FAILED.',
  stage: async (bench) => {
    await bench.hold('payout')
    await bench.hold('payout', { fault: 'lost', times: 1, per: 'payment' })
    const subject = await bench.subjectOf(await bench.drive('payout'))
    const waiting = await bench.observeSettled(subject)
    await bench.post('honest COMPLETED of the payout', await bench.move(subject, 'COMPLETED'))
    return { subject, waiting, seen: await bench.waitUntilPaid(subject) }
  },
  judge: ({ subject, waiting, seen }, { journal }) => {
    const ids = identifiersIn(journal, 'payout')
    if (ids.length > 1) {
      return failed(`for one payout ${ids.length} identifiers were sent: ${ids.join(', ')}`)
    }
    if (waiting?.failed === true) {
      return failed(
        'after the lost answer the merchant said that the payout had failed; it went out'
      )
    }
    if (isBooked(waiting)) {
      return failed(
        'after the lost answer, before the payout was final, the merchant said: ' +
          `${bookingOf(waiting)}`
      )
    }
    return judgeBooked('the answer was lost, and the payout completed', subject, seen)
  }
})

const missing = check({
  id: 'REC-03',
  title: 'the callback never comes: stuck for ever',
  proves: 'a payment whose callback is lost is asked about',
  requirement: {
    rule: 'Callbacks can be lost. A payment that is pending too long is asked about.',
    source: 'API rules'
  },
  severity: 'high',
  depth: [1, 2],
  needs: ['deposit'],
  does:
    'A payment completes, and its callback is dropped. A status check is waited for, in real ' +
    'time, for as long as `patience` says.',
  shouldBe: 'The merchant asks the status check by itself.',
  why: 'Every outage of your server leaves orders behind that were paid and never delivered.',
  fix:
    'Run a job every few minutes that asks GET /v2/deposits/{depositId} about every payment ' +
    'that is still pending.',
  stage: async (bench) => {
    await bench.hold()
    const subject = await bench.subject()
    await bench.move(subject, 'COMPLETED')
    const completed = (await bench.journal()).at(-1)?.id ?? 0
    const isAsked = (entries: JournalEntry[]): boolean =>
      entries.some((entry) => entry.id > completed && isStatusCheck(entry, [subject.id]))
    const { patienceMs } = bench.settings
    // The exam does not observe meanwhile: an order page that asks the API when it is opened is not
    // a job.
    const entries = await bench.watcher.waitForJournal(isAsked, patienceMs)
    const seen = await bench.waitUntilPaid(subject)
    return { seen, isAsked: isAsked(entries), patienceMs }
  },
  judge: ({ seen, isAsked, patienceMs }) => {
    if (isAsked && seen?.paid === false) {
      return ifBooked(
        review(
          'the merchant asked the API, which said COMPLETED, and afterwards the merchant says: ' +
            `${bookingOf(seen)}. Look whether its job takes longer than \`settle\` (see STA-06)`
        )
      )
    }
    if (isAsked) {
      return passed(
        `the merchant asked the API${seen === undefined ? '' : ', and booked the payment'}`
      )
    }
    if (seen?.paid === true) {
      return review(
        'the payment was booked without a callback, but the merchant did not ask the API by ' +
          'itself; it may ask only when somebody looks at the order'
      )
    }
    return failed(`the merchant made no status check within ${patienceMs / 1000} s`)
  }
})

const broken = check({
  id: 'REC-04',
  title: 'a failure of its own is answered with 200, so nobody tries again',
  proves: 'a callback is not lost when the database fails',
  requirement: {
    rule: 'A callback is acknowledged only when its effect is stored.',
    source: 'Standard Webhooks'
  },
  severity: 'high',
  depth: [2],
  needs: ['deposit', 'observe', 'break'],
  does:
    'The database of the merchant is broken by a hook while a callback comes, and mended ' +
    'before it is repeated.',
  shouldBe:
    'The callback is answered with 5xx while the database is broken, and booked when it is ' +
    'repeated.',
  why: 'A 200 tells the service that all is well. The payment is lost together with the exception.',
  fix: 'Let errors of your own become 500. Answer 200 only after the transaction was committed.',
  stage: async (bench) => {
    await bench.script('deposit', { script: [{ after: 0, to: 'PROCESSING' }] })
    const subject = await bench.subject()
    await bench.hook('break')
    try {
      await bench.move(subject, 'COMPLETED')
      await bench.watcher.delivered(subject.id)
    } finally {
      await bench.hook('mend')
    }
    const [callback] = await bench.mock.callbacks({ paymentId: subject.id })
    await bench.mock.advance('1m')
    const seen = await bench.waitUntilPaid(subject)
    return { subject, first: callback?.attempts[0] ?? {}, seen }
  },
  judge: ({ subject, first, seen }): Judgement => {
    const answer = `while the database was broken, the callback ${answerTo(first)}`
    if (seen?.paid === true) {
      return isAcknowledged(first)
        ? passed(`${answer}, and the payment was booked all the same`)
        : judgeBooked(answer, subject, seen)
    }
    return ifBooked(failed(`${answer}, and afterwards the merchant says: ${bookingOf(seen)}`))
  }
})

/** So many initiations within a second, or within `limits.pollMs`, are too many. */
const mostTries = 4
/**
 * Four status checks that are a second apart take three seconds. Some of it is allowed to be
 * missing, because timers are late on a busy machine.
 */
const mostPolls = 4
const pollWindow = 2.55
const pollSeconds = 3

const hammered = check({
  id: 'REC-05',
  title: '429 or 503 is hammered or given up on, or polling is faster than once a second',
  proves: '429, 503 and status checks are repeated with pauses',
  requirement: {
    rule:
      'After 429 and 503 a client waits, longer each time. A payment is asked about at most ' +
      'once a second.',
    source: 'API rules'
  },
  severity: 'medium',
  depth: [1],
  needs: ['deposit'],
  does:
    'Initiations are answered with 429, 429 and 503; then one is accepted and waits for three ' +
    'seconds. Requests are counted.',
  shouldBe:
    'The same identifier is tried again after a growing pause, and status checks are at ' +
    'least a second apart.',
  why: 'Too many retries get you blocked; too few lose a payment.',
  fix:
    'Retry with exponential backoff and the same identifier. Poll with a growing pause, or ' +
    'wait for the callback.',
  stage: async (bench) => {
    await bench.hold()
    await bench.script('deposit', { http: { status: 503 }, times: 1, per: 'payment' })
    await bench.script('deposit', { http: { status: 429 }, times: 2, per: 'payment' })
    const { drive, reference } = await bench.drive()
    const entries = await bench.watcher.waitForJournal(
      (entries) => entries.some(isAccepted),
      drive.reference === undefined ? bench.settings.settleMs : bench.settings.patienceMs
    )
    if (entries.some(isAccepted)) await bench.pause(pollSeconds * bench.settings.limits.pollMs)
    const isToldNo = reference === undefined || (drive.status ?? 500) >= 400
    return {
      isToldNo,
      pollMs: bench.settings.limits.pollMs,
      seen: isToldNo ? undefined : await bench.observe({ kind: 'deposit', reference })
    }
  },
  judge: ({ isToldNo, pollMs, seen }, { journal }) => {
    const tries = journal.filter((entry) => isInitiation(entry, 'deposit'))
    const ids = identifiersIn(journal, 'deposit')
    const most = densest(tries, pollMs)
    if (most >= mostTries) {
      return failed(
        `after 429 and 503 the merchant sent ${most} initiations within ${pollMs / 1000} s`
      )
    }
    if (ids.length > 1) {
      return failed(
        `after 429 or 503 the merchant sent ${ids.length} identifiers for one payment in ` +
          `${tries.length} tries (see REC-01)`
      )
    }
    const windowMs = pollWindow * pollMs
    const polls = densest(
      journal.filter((entry) => isStatusCheck(entry, ids)),
      windowMs
    )
    if (polls >= mostPolls) {
      return failed(
        `the merchant asked about one payment ${polls} times within ${windowMs / 1000} s`
      )
    }
    if (tries.some(isAccepted)) {
      return passed(`the deposit was accepted at try ${tries.findIndex(isAccepted) + 1}`)
    }
    if (isToldNo) return passed('the merchant did not try again, and told its customer so')
    if (seen?.failed === true) {
      return warning('the merchant gave up after 429 or 503 and marked the order as failed')
    }
    return failed(
      `the merchant gave up after ${tries.length} ${tries.length === 1 ? 'try' : 'tries'}, ` +
        'and the order waits for ever'
    )
  }
})

function isAccepted (entry: JournalEntry): boolean {
  return isInitiation(entry, 'deposit') && entry.response.status === 200
}

/** Returns the largest number of entries within some milliseconds. */
function densest (entries: readonly JournalEntry[], ms: number): number {
  const times = entries.map(({ request }) => request.loggedDate)
  return Math.max(
    0,
    ...times.map((start) => times.filter((time) => time >= start && time < start + ms).length)
  )
}

/** Checks of recovery, in the order of the catalogue. */
export const recoveryChecks: readonly Check[] = [lost, payout, missing, broken, hammered]
