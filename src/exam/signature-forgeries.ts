import type { Bench } from './bench.ts'
import { digestOf, inStatus } from './callback.ts'
import { check, type Check, type Judgement } from './check.ts'
import { answerTo, isAcknowledged, isStatusCheck, type Evidence } from './evidence.ts'
import { about, gravest, judgeForgery, review, type Forgery } from './judging.ts'
import { callbackAddresses, otherHost } from './mock.ts'
import { honestAbout } from './signature-honest.ts'
import type { Posting } from './sender.ts'

/** SIG-01 to SIG-05 and SIG-10 to SIG-12: callbacks that must not be believed. */

const minutesMs = 60_000
const staleMs = 10 * minutesMs
const [publishedAddress] = callbackAddresses
/**
 * Time that a status check hangs. It is the last variant, because the exam may have to wait for it.
 */
const hang = '20s'

/** A forged COMPLETED for a payment that the service still shows as PROCESSING. */
async function forge (bench: Bench, label: string, posting: Posting): Promise<Forgery> {
  await bench.hold()
  const subject = await bench.subject()
  const honest = bench.canDrive('deposit')
    ? undefined
    : await honestAbout(bench, await bench.stranger())
  const exchange = await bench.post(label, inStatus(subject.record, 'COMPLETED'), posting)
  return {
    subject,
    exchange,
    seen: await bench.observeSettled(subject),
    ...(honest !== undefined && { honest })
  }
}

/**
 * Callbacks that must not be believed. `swap` puts in another body after the signature was made,
 * and gives the headers that change with it.
 */
const forgeries: ReadonlyArray<
  Pick<
    Check,
    'id' | 'severity' | 'title' | 'proves' | 'requirement' | 'does' | 'shouldBe' | 'why' | 'fix'
  > & {
    label: string
    posting: Posting
    swap?: (body: string) => Record<string, string>
  }
> = [
  {
    id: 'SIG-01',
    severity: 'critical',
    title: 'an unsigned callback is booked',
    proves: 'unsigned callbacks are refused',
    requirement: {
      rule: 'A callback counts only when its signature was verified, or when the API confirms it.',
      source: 'API rules'
    },
    does:
      'A deposit is held at PROCESSING; its record as COMPLETED is posted without signature ' +
      'headers.',
    shouldBe: 'The callback is refused with 401, or the API is asked. Nothing is booked.',
    why: 'Anybody who knows a depositId, and the payer does, can pay an order without money.',
    fix:
      'Refuse callbacks without Signature, Signature-Input and Content-Digest headers. Do not ' +
      'verify only "if the headers are there".',
    label: 'unsigned COMPLETED',
    posting: { key: 'none' }
  },
  {
    id: 'SIG-02',
    severity: 'critical',
    title: 'a signature by a wrong key is booked',
    proves: 'signatures by a wrong key are refused',
    requirement: {
      rule: 'The signature must verify with the public key of the service that keyid names.',
      source: 'RFC 9421'
    },
    does: "The forged COMPLETED is signed by a wrong key under the real key's name.",
    shouldBe: 'The callback is refused with 401. Nothing is booked.',
    why: 'A signature that is not verified is decoration: everybody can make one.',
    fix:
      'Verify the signature over the signature base with the key of GET /v2/public-key/http ' +
      'that has this keyid.',
    label: 'COMPLETED signed by a wrong key',
    posting: { key: 'wrong' }
  },
  {
    id: 'SIG-03',
    severity: 'critical',
    title: 'only the digest is checked',
    proves: 'a new digest under an old signature is refused',
    requirement: {
      rule: 'The digest proves nothing alone: it must be covered by a signature that verifies.',
      source: 'RFC 9530'
    },
    does:
      'PROCESSING was signed. COMPLETED is sent, with a new Content-Digest and the old ' +
      'signature.',
    shouldBe: 'The callback is refused with 401. Nothing is booked.',
    why: 'Everybody can compute a digest, so everybody can write the body.',
    fix: 'Verify the signature too. It covers content-digest, so a new digest breaks it.',
    label: 'COMPLETED with a new digest and an old signature',
    posting: {},
    swap: (body) => ({ 'content-digest': digestOf(body) })
  },
  {
    id: 'SIG-04',
    severity: 'critical',
    title: 'the digest is not compared with the body',
    proves: 'a body that does not fit its digest is refused',
    requirement: {
      rule: 'The digest of the received bytes must equal the Content-Digest header.',
      source: 'RFC 9530'
    },
    does:
      'The signature fits the headers, and the body is another one: PROCESSING was signed, ' +
      'COMPLETED is sent.',
    shouldBe: 'The callback is refused with 401. Nothing is booked.',
    why:
      'The signature covers headers only. Whoever catches one callback can send any body with ' +
      'it.',
    fix:
      'Compute the digest of the raw body and compare it with Content-Digest before you verify ' +
      'the signature.',
    label: 'COMPLETED with the signature of another body',
    posting: {},
    swap: () => ({})
  },
  {
    id: 'SIG-05',
    severity: 'high',
    title: 'expired signatures are taken',
    proves: 'expired signatures are refused',
    requirement: {
      rule: 'A signature past its expires parameter does not count.',
      source: 'RFC 9421'
    },
    does:
      'A COMPLETED whose signature expired nine minutes ago is posted, for a payment that is ' +
      'not booked.',
    shouldBe: 'The callback is refused with 401. Nothing is booked.',
    why: 'Old callbacks from a log or a backup can be sent again, for years.',
    fix: 'Refuse a callback when the time is past the expires parameter of Signature-Input.',
    label: 'COMPLETED with an expired signature',
    posting: { ageMs: staleMs }
  },
  {
    id: 'SIG-10',
    severity: 'high',
    title: 'X-Forwarded-For is trusted for the source address',
    proves: 'X-Forwarded-For is not trusted',
    requirement: {
      rule: 'A header that the sender writes does not prove where a request comes from.',
      source: 'API rules'
    },
    does:
      'An unsigned COMPLETED is posted with a published source address of the service in ' +
      'X-Forwarded-For.',
    shouldBe: 'The callback is refused with 401. Nothing is booked.',
    why: 'Everybody can write this header, and the addresses of the service are public.',
    fix:
      'Verify the signature. If you also check addresses, take the one of the connection, or ' +
      'what your own proxy sets.',
    label: 'unsigned COMPLETED with X-Forwarded-For',
    posting: {
      key: 'none',
      headers: { 'x-forwarded-for': publishedAddress, 'x-real-ip': publishedAddress }
    }
  },
  {
    id: 'SIG-12',
    severity: 'high',
    title: 'a signature for another host is taken',
    proves: 'signatures for another host are refused',
    requirement: {
      rule: '@authority is the host of this server, not one that the sender names in a header.',
      source: 'RFC 9421'
    },
    does:
      `A COMPLETED that is signed for ${otherHost} is posted, with this host in ` +
      'X-Forwarded-Host and Forwarded.',
    shouldBe: 'The callback is refused with 401. Nothing is booked.',
    why:
      'A callback that the service sent to another shop can be passed on to yours. Its signature ' +
      'is genuine, and it can name the depositId of your order.',
    fix:
      'Build @authority from the host name of your own callback URL. Read X-Forwarded-Host only ' +
      'where your own proxy overwrites it.',
    label: 'COMPLETED signed for another host',
    posting: {
      host: otherHost,
      headers: { 'x-forwarded-host': otherHost, forwarded: `host=${otherHost}` }
    }
  }
]

const rows: Check[] = forgeries.map(({ label, posting, swap, ...row }) =>
  check({
    ...row,
    depth: [1, 2],
    from: 0,
    needs: [],
    showsVerification: true,
    stage: (bench) =>
      swap === undefined ? forge(bench, label, posting) : forgeBody(bench, label, swap),
    judge: judgeForgery
  })
)

/** A genuine signature of PROCESSING, on the body of a COMPLETED. */
async function forgeBody (
  bench: Bench,
  label: string,
  headersFor: (body: string) => Record<string, string>
): Promise<Forgery> {
  await bench.hold()
  const subject = await bench.subject()
  const honest = bench.canDrive('deposit')
    ? undefined
    : await honestAbout(bench, await bench.stranger())
  const completed = JSON.stringify(inStatus(subject.record, 'COMPLETED'))
  const exchange = await bench.post(label, subject.record, {
    alter: ({ headers }) => ({ headers: { ...headers, ...headersFor(completed) }, body: completed })
  })
  return {
    subject,
    exchange,
    seen: await bench.observeSettled(subject),
    ...(honest !== undefined && { honest })
  }
}

/** Ways in which a status check can fail to confirm a payment. */
const unhelpful: ReadonlyArray<
  [what: string, answer: Parameters<Bench['mock']['orderStatusChecks']>[0]['then']]
> = [
  ['answers 500', { status: 500 }],
  ['is reset', { fault: 'reset' }],
  ['says PROCESSING', {}],
  ['hangs', { delay: hang }]
]

const failsOpen = check({
  id: 'SIG-11',
  title: 'a failed status check counts as paid',
  proves: 'a failed status check does not count as paid',
  requirement: {
    rule: 'Only a status check that says COMPLETED confirms a payment.',
    source: 'API rules'
  },
  severity: 'critical',
  depth: [1, 2],
  needs: ['deposit'],
  does:
    'An unsigned COMPLETED is posted while the status check answers 500, is reset, hangs, or ' +
    'says PROCESSING.',
  shouldBe:
    'Nothing is booked as long as the API has not said COMPLETED. An answer of 5xx has the ' +
    'service try again.',
  why: 'A forger only has to wait for, or to cause, an outage.',
  fix:
    'Book only when the answer is 200 with status FOUND and data.status COMPLETED. Answer 503 ' +
    'when you could not ask.',
  stage: async (bench) => {
    const forgeries: Forgery[] = []
    await bench.hold()
    for (const [what, then] of unhelpful) {
      const subject = await bench.subject()
      await bench.mock.orderStatusChecks({ ...(then !== undefined && { then }) })
      const exchange = await bench.post(
        `unsigned COMPLETED while the status check ${what}`,
        inStatus(subject.record, 'COMPLETED'),
        { key: 'none' }
      )
      await bench.settle()
      const forgery = { subject, exchange, seen: await bench.observe(subject) }
      await bench.mock.orderStatusChecks({})
      forgeries.push(forgery)
    }
    return await waitForTimeout(bench, forgeries)
  },
  judge: (forgeries, evidence) =>
    gravest(forgeries.map((forgery) => judgeOpenness(forgery, evidence)))
})

/**
 * Gives an application that asks time to give up on the status check that hangs: it may book only
 * then. One that has refused the callback has given up already.
 */
async function waitForTimeout (bench: Bench, forgeries: Forgery[]): Promise<Forgery[]> {
  const last = forgeries[forgeries.length - 1]
  const { status } = last.exchange
  const hasRefused = status !== undefined && !isAcknowledged(last.exchange)
  const ids = forgeries.map(({ subject }) => subject.id)
  const asks = (await bench.journal()).some((entry) => isStatusCheck(entry, ids))
  if (hasRefused || !asks) return forgeries
  const seen = await bench.waitUntilPaid(last.subject, bench.settings.patienceMs)
  return [...forgeries.slice(0, -1), { ...last, seen }]
}

/** Judges a forgery during an outage. A status check proves nothing here. */
function judgeOpenness (forgery: Forgery, evidence: Evidence): Judgement {
  const { exchange, seen } = forgery
  if (seen !== undefined || !isAcknowledged(exchange)) return judgeForgery(forgery, evidence)
  return about(
    exchange,
    review(
      `the ${exchange.label} ${answerTo(exchange)}; only observe can tell whether ` +
        'it was booked'
    )
  )
}

/** Checks of forged callbacks. */
export const forgeryChecks: readonly Check[] = [...rows, failsOpen]
