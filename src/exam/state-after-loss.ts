import type { Bench, Subject } from './bench.ts'
import { check, type Check, type Judgement } from './check.ts'
import { identifiersIn, isStatusCheck, type Evidence, type Observation } from './evidence.ts'
import { systemClock } from './mock.ts'
import {
  bookingOf,
  failed,
  ifBooked,
  isBooked,
  judgeBooked,
  passed,
  review,
  skipped
} from './judging.ts'

/** STA-05 to STA-07: the meaning of an answer after another one was lost. */

/** Stored initiation whose answer is lost, and its payment. */
async function loseAnswer (bench: Bench): Promise<void> {
  await bench.hold()
  await bench.hold('deposit', { fault: 'lost', times: 1, per: 'payment' })
}

const duplicate = check({
  id: 'STA-05',
  title: 'DUPLICATE_IGNORED is failure, or a reason for a new identifier',
  proves: 'DUPLICATE_IGNORED is read like ACCEPTED',
  requirement: {
    rule: 'DUPLICATE_IGNORED means that the payment was accepted before, under this identifier.',
    source: 'API rules'
  },
  severity: 'high',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does:
    'A deposit is stored and its answer lost. The merchant may try again, and gets ' +
    'DUPLICATE_IGNORED; then it completes.',
  shouldBe: 'One identifier is used, and the payment is booked when it completes.',
  why:
    'The retry did its work. Who takes the answer for a failure charges twice, or loses a ' +
    'payment.',
  fix: 'Treat DUPLICATE_IGNORED like ACCEPTED: pending.',
  stage: async (bench) => {
    await loseAnswer(bench)
    const driven = await bench.drive()
    await bench.settle()
    const subject = await bench.subjectOf(driven)
    await bench.post('honest COMPLETED', await bench.move(subject, 'COMPLETED'))
    return { subject, seen: await bench.waitUntilPaid(subject) }
  },
  judge: ({ subject, seen }, { journal }) => {
    const answers = journal.flatMap(({ response: { body } }) => statusIn(body))
    const retried = answers.includes('DUPLICATE_IGNORED')
    const ids = identifiersIn(journal, 'deposit')
    if (retried && ids.length > 1) {
      return failed(
        `after DUPLICATE_IGNORED the merchant sent ${ids.length} identifiers for one payment`
      )
    }
    if (!retried) {
      return seen === undefined ? unrepeated : judgeRetryless(subject, seen)
    }
    return judgeBooked(
      'the repeated initiation was answered DUPLICATE_IGNORED, and the payment completed',
      subject,
      seen
    )
  }
})

const unrepeated = skipped(
  'the merchant did not repeat the initiation, so it saw no DUPLICATE_IGNORED (see REC-01 and ' +
    'STA-07 for lost answers)'
)

function judgeRetryless (subject: Subject, seen: Observation): Judgement {
  const { verdict, because } = judgeBooked('the payment completed', subject, seen)
  return verdict === 'PASSED'
    ? passed(
        `the merchant did not repeat the initiation, so it saw no DUPLICATE_IGNORED; ${because}`
    )
    : unrepeated
}

function statusIn (body: unknown): string[] {
  const items: unknown[] = Array.isArray(body) ? body : [body]
  return items.flatMap((item) =>
    typeof item === 'object' && item !== null && 'status' in item && typeof item.status === 'string'
      ? [item.status]
      : []
  )
}

const envelope = check({
  id: 'STA-06',
  title: 'the envelope of the status check is misread, or a payment is booked by time',
  proves: 'a payment is booked when the status check says COMPLETED, and not before',
  requirement: {
    rule: 'A status check answers { status: FOUND, data: { status } } in v2, and a list in v1.',
    source: 'API rules'
  },
  severity: 'high',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does:
    'A payment waits at PROCESSING for as long as `patience` says, while the order is looked at ' +
    'again and again. Then it completes, and its callback never comes.',
  shouldBe:
    'Nothing is booked at PROCESSING, and the payment is booked once the status check says ' +
    'COMPLETED.',
  why:
    'FOUND is not a status of the payment, and neither is the time that has passed. Who takes ' +
    'one for it books what was not paid, or never books at all.',
  fix:
    'Read data.status in v2, and the status of the first element in v1. Book only what it says, ' +
    'however long it takes.',
  stage: async (bench) => {
    await bench.hold()
    const subject = await bench.subject()
    await bench.post('honest PROCESSING', subject.record)
    const begun = systemClock.now()
    const waiting = await bench.waitUntilPaid(subject, bench.settings.patienceMs)
    const heldMs = systemClock.now() - begun
    const polls = (await bench.journal()).filter((entry) => isStatusCheck(entry, [subject.id]))
    await bench.move(subject, 'COMPLETED')
    return {
      subject,
      waiting,
      held: `for ${(heldMs / 1000).toFixed(1)} s, as ${polls.length} status checks said`,
      seen: await bench.waitUntilPaid(subject, bench.settings.patienceMs)
    }
  },
  judge: ({ subject, waiting, held, seen }, { journal }: Evidence) => {
    if (isBooked(waiting)) {
      return failed(
        `the payment was PROCESSING ${held}, and the merchant said: ${bookingOf(waiting)}`
      )
    }
    const asked = journal.filter((entry) => isStatusCheck(entry, [subject.id]))
    if (asked.length === 0) {
      return skipped(
        'the merchant made no status check, so nobody can say how it reads one (see REC-03)'
      )
    }
    const because = `the merchant asked ${asked.length} times, and the API said COMPLETED at last`
    // No callback is sent here, so it does not matter whether one would be taken.
    const { control: _, ...judgement } = judgeBooked(because, subject, seen)
    return judgement
  }
})

const notFound = check({
  id: 'STA-07',
  title: 'NOT_FOUND right after a lost answer cancels the order, which is charged later',
  proves: 'NOT_FOUND right after a lost answer cancels nothing',
  requirement: {
    rule: 'A payment may not be visible yet. NOT_FOUND is final only when it stays so.',
    source: 'API rules'
  },
  severity: 'medium',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does:
    'A deposit is stored and its answer lost. The first status check says NOT_FOUND, the next ' +
    'ones FOUND; then it completes.',
  shouldBe: 'The payment stays pending, and is booked when it completes.',
  why: 'The order is cancelled, and the customer is charged a minute later.',
  fix:
    'After NOT_FOUND send the initiation again with the same identifier, or ask again later. ' +
    'Cancel nothing in the first minutes.',
  stage: async (bench) => {
    await loseAnswer(bench)
    await bench.mock.orderStatusChecks({ then: { found: false } })
    const subject = await bench.subjectOf(await bench.drive())
    const { patienceMs } = bench.settings
    await bench.observe(subject)
    await bench.watcher.waitForJournal(
      (entries) => entries.some((entry) => isStatusCheck(entry, [subject.id])),
      patienceMs
    )
    await bench.mock.orderStatusChecks({})
    const waiting = await bench.observeSettled(subject)
    await bench.post('honest COMPLETED', await bench.move(subject, 'COMPLETED'))
    return { subject, waiting, seen: await bench.waitUntilPaid(subject) }
  },
  judge: ({ subject, waiting, seen }, { journal }) => {
    const asked = journal.some((entry) => isStatusCheck(entry, [subject.id]))
    if (!asked) return judgeUnasked(subject, seen)
    if (waiting?.failed === true) {
      return failed(
        'after NOT_FOUND the merchant said that the payment had failed, and it completed later'
      )
    }
    return judgeBooked(
      'the status check said NOT_FOUND once, and the payment completed',
      subject,
      seen
    )
  }
})

/** Judges a merchant that did not ask after a lost answer: it may have given the order up. */
function judgeUnasked (subject: Subject, seen: Observation | undefined): Judgement {
  if (seen === undefined) {
    return review(
      'after the lost answer the merchant gave no reference, and the payment completed; look at ' +
        'what became of the order'
    )
  }
  const { verdict, because } = judgeBooked(
    'after the lost answer the merchant did not ask, the payment completed by a callback',
    subject,
    seen
  )
  return verdict === 'PASSED'
    ? skipped('the merchant made no status check after the lost answer, so it saw no NOT_FOUND')
    : ifBooked(failed(because))
}

/** Checks of states after a loss, in the order of the catalogue. */
export const checksAfterLoss: readonly Check[] = [duplicate, envelope, notFound]
