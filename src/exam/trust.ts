import type { Bench, Subject } from './bench.ts'
import { amountOf, amountsOf, inStatus, type PaymentRecord } from './callback.ts'
import { check, NotPossible, type Check } from './check.ts'
import {
  answerTo,
  isAcknowledged,
  maySayUnknown,
  type Exchange,
  type Observation
} from './evidence.ts'
import {
  bookingOf,
  failed,
  gravest,
  ifAcknowledged,
  ifBooked,
  isBooked,
  judgeBooked,
  passed,
  review
} from './judging.ts'

/** TRU: values of a genuine callback that the merchant must compare. */

/** An honest callback of a completed payment with other fields; a status check shows the same. */
async function sendChanged (
  bench: Bench,
  subject: Subject,
  label: string,
  change: (record: PaymentRecord) => PaymentRecord
): Promise<Exchange> {
  const changes = change(inStatus(subject.record, 'COMPLETED'))
  // Before it completes: the merchant may ask at any moment.
  await bench.mock.orderStatusChecks({ then: { record: { ...changes } } })
  const record = await bench.move(subject, 'COMPLETED')
  return await bench.post(label, { ...record, ...changes })
}

interface Changed {
  exchange: Exchange
  seen: Observation | undefined
  what: string
}

/** Prepares a genuine callback whose values do not pay the order. */
async function underpay (
  bench: Bench,
  what: string,
  changes: (record: PaymentRecord) => PaymentRecord
): Promise<Changed> {
  await bench.hold()
  const subject = await bench.subject()
  const exchange = await sendChanged(bench, subject, what, changes)
  return { exchange, seen: await bench.observeSettled(subject), what }
}

function judgeUnderpaid ({ exchange, seen, what }: Changed) {
  if (seen === undefined) {
    return review(
      `the ${what} ${answerTo(exchange)}; without a reference nobody can say ` +
        'what was booked'
    )
  }
  return isBooked(seen)
    ? failed(
        `the ${what} ${answerTo(exchange)}, and the merchant says: ${bookingOf(seen)}`
    )
    : ifBooked(passed(`the ${what} did not pay the order`))
}

const amount = check({
  id: 'TRU-01',
  title: 'any amount pays the order',
  proves: 'a smaller amount does not pay the order',
  requirement: {
    rule: 'The amount of a callback is compared with the amount of the order.',
    source: 'API rules'
  },
  severity: 'critical',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does: 'An honest COMPLETED with a smaller amount is posted; a status check shows the same.',
  shouldBe: 'The order is not paid. It waits for a person, or for the rest.',
  why: 'An order of 1,000 can be paid with 1.',
  fix:
    'Compare amount and currency of the callback with those you stored for this depositId. Do ' +
    'not book when they differ.',
  stage: (bench) =>
    underpay(bench, 'COMPLETED with a smaller amount', (record) => amountsOf(record, '1')),
  judge: judgeUnderpaid
})

const currency = check({
  id: 'TRU-02',
  title: 'the currency is not compared',
  proves: 'another currency does not pay the order',
  requirement: {
    rule: 'The currency of a callback is compared with that of the order.',
    source: 'API rules'
  },
  severity: 'high',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does:
    'An honest COMPLETED with the same number in another currency is posted; a status check ' +
    'shows the same.',
  shouldBe: 'The order is not paid.',
  why: 'Fifteen Rwandan francs are not fifteen kwacha.',
  fix: 'Compare currency together with amount.',
  stage: (bench) =>
    underpay(bench, 'COMPLETED in another currency', ({ currency }) => ({
      currency: currency === 'RWF' ? 'ZMW' : 'RWF'
    })),
  judge: judgeUnderpaid
})

/** Names under which merchants look for their own reference. */
const referenceNames = [
  'orderId',
  'order_id',
  'reference',
  'userId',
  'user_id',
  'planId',
  'invoiceId'
]

/**
 * Metadata that names another order, in the words that the merchant uses itself, if it uses any.
 */
function metadataOf ({ record, reference = '' }: Subject): PaymentRecord {
  const own = record.metadata
  const metadata =
    typeof own === 'object' && own !== null && Object.keys(own).length > 0
      ? own
      : Object.fromEntries(referenceNames.map((name) => [name, reference]))
  return {
    metadata,
    clientReferenceId: record.clientReferenceId ?? reference,
    ...Object.fromEntries(referenceNames.map((name) => [name, reference]))
  }
}

const metadata = check({
  id: 'TRU-03',
  title: 'order, user or plan is taken from the metadata or the body',
  proves: 'a payment pays its own order, whatever the body says',
  requirement: {
    rule: 'A payment is found by its identifier. What else the body says is not an instruction.',
    source: 'API rules'
  },
  severity: 'critical',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does:
    "The merchant starts payments A and B. A's honest COMPLETED is posted with B's reference " +
    'in its metadata.',
  shouldBe: 'Only the order of payment A is paid.',
  why: 'One payment can be turned to any order, user or plan that the payer names.',
  fix:
    'Look your order up by depositId, which you stored before you sent it. Ignore references ' +
    'in the body.',
  stage: async (bench) => {
    await bench.hold()
    const one = await bench.subject()
    const other = await bench.subject()
    if (one.reference === other.reference) {
      throw new NotPossible(
        'two drives gave the same reference, so one payment cannot be told from the other'
      )
    }
    const changes = metadataOf(other)
    await bench.mock.orderStatusChecks({ then: { record: { metadata: changes.metadata } } })
    const record = await bench.move(one, 'COMPLETED')
    const exchange = await bench.post("COMPLETED of A with B's reference in its metadata", {
      ...record,
      ...changes
    })
    return { exchange, one: await bench.observeSettled(one), other: await bench.observe(other) }
  },
  judge: ({ exchange, one, other }) => {
    const answer = `the callback of A ${answerTo(exchange)}`
    if (isBooked(other)) return failed(`${answer}, and the order of B says: ${bookingOf(other)}`)
    if (one === undefined || other === undefined) {
      return review(`${answer}; without references nobody can say what was booked`)
    }
    return isBooked(one)
      ? passed(`${answer}, and only A was booked`)
      : ifBooked(
        review(
          `${answer}; B was not booked, but A was not either. Look whether the application ` +
            'refuses a reference that is not its own; then all is well'
        )
      )
  }
})

const spellings = ['', '.00', '.0000']

const spelling = check({
  id: 'TRU-04',
  title: 'amounts are compared as text',
  proves: 'amounts are compared as numbers',
  requirement: {
    rule: 'Amounts are decimal numbers: 15, 15.00 and 15.0000 are the same.',
    source: 'API rules'
  },
  severity: 'high',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does:
    'Three payments are completed by honest callbacks that write the amount as 15, 15.00 and ' +
    '15.0000.',
  shouldBe: 'Each of them is booked.',
  why:
    'Customers have paid and get nothing, because the service wrote the amount with other ' +
    'decimals.',
  fix: 'Compare amounts as decimal numbers or in the smallest unit, never as text.',
  stage: async (bench) => {
    const tries: Array<{
      subject: Subject
      exchange: Exchange
      seen: Observation | undefined
      written: string
    }> = []
    await bench.hold()
    for (const decimals of spellings) {
      const subject = await bench.subject()
      const number = amountOf(subject.record).replace(/\.0*$/, '')
      const written = number.includes('.')
        ? number.padEnd(number.indexOf('.') + 1 + Math.max(2, decimals.length - 1), '0')
        : number + decimals
      const exchange = await sendChanged(
        bench,
        subject,
        `COMPLETED with amount ${written}`,
        (record) => amountsOf(record, written)
      )
      tries.push({ subject, exchange, seen: await bench.waitUntilPaid(subject), written })
    }
    return tries
  },
  judge: (tries) =>
    gravest(
      tries.map(({ subject, exchange, seen, written }) =>
        judgeBooked(`the amount was written as ${written}`, subject, seen, exchange)
      )
    )
})

const stranger = check({
  id: 'TRU-05',
  title: 'an identifier nobody ordered creates something, or crashes',
  proves: 'an identifier nobody ordered does no harm',
  requirement: {
    rule: 'A callback about a payment that the merchant did not start has no effect.',
    source: 'API rules'
  },
  severity: 'high',
  depth: [0, 2],
  needs: [],
  does: 'An honest callback about a payment that the merchant did not start is posted.',
  shouldBe: 'It is answered with 2xx or 404, and nothing is created.',
  why:
    'An account may be used by two systems. An order made up from a callback is an order ' +
    'nobody placed.',
  fix:
    'Look the identifier up first. When it is not yours, answer 200 (the service stops ' +
    'repeating) and write it to the log.',
  stage: async (bench) => {
    await bench.hold()
    const subject = await bench.stranger()
    const exchange = await bench.post(
      'honest COMPLETED of an unknown payment',
      await bench.move(subject, 'COMPLETED')
    )
    const seen = await bench.observeSettled({ kind: 'deposit', reference: subject.id })
    return { exchange, seen }
  },
  judge: ({ exchange, seen }) => {
    if (isBooked(seen)) {
      return failed(
        `it ${answerTo(exchange)}, and under this identifier the merchant now ` +
          `says: ${bookingOf(seen)}`
      )
    }
    if (exchange.status === undefined || exchange.status >= 500) {
      return ifAcknowledged(failed(`it ${answerTo(exchange)}`))
    }
    if (seen === undefined && !isAcknowledged(exchange) && !maySayUnknown(exchange)) {
      return review(
        `it ${answerTo(exchange)}, which does not say what became of it (see END-02)`
      )
    }
    const repeats = isAcknowledged(exchange) ? '' : '; the service will repeat it for 15 minutes'
    const answer = `it ${answerTo(exchange)}`
    return seen === undefined
      ? ifAcknowledged(passed(`${answer}${repeats}`))
      : ifBooked(passed(`${answer}, and nothing was booked${repeats}`))
  }
})

const bare = check({
  id: 'TRU-06',
  title: 'the order is found only by clientReferenceId or metadata',
  proves: 'the order is found by its identifier alone',
  requirement: {
    rule: 'Only the identifier of the payment is in every callback and every status check.',
    source: 'API rules'
  },
  severity: 'high',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does:
    'An honest COMPLETED without clientReferenceId and without metadata is posted; a status ' +
    'check shows the same.',
  shouldBe: 'The payment is booked.',
  why:
    'Some records and callbacks of the service come without these fields. Customers have paid ' +
    'and get nothing.',
  fix: 'Look your order up by depositId, which you stored before you sent it.',
  stage: async (bench) => {
    await bench.hold()
    const subject = await bench.subject()
    await bench.mock.orderStatusChecks({
      then: { record: { clientReferenceId: null, metadata: null } }
    })
    const {
      clientReferenceId: _,
      metadata: __,
      ...record
    } = await bench.move(subject, 'COMPLETED')
    const exchange = await bench.post('COMPLETED without reference and metadata', record)
    return { subject, exchange, seen: await bench.waitUntilPaid(subject) }
  },
  judge: ({ subject, exchange, seen }) =>
    judgeBooked('the callback had no clientReferenceId and no metadata', subject, seen, exchange)
})

/** Checks of trust, in the order of the catalogue. */
export const trustChecks: readonly Check[] = [amount, currency, metadata, spelling, stranger, bare]
