import type { Bench, Subject } from './bench.ts'
import { rewritten, type PaymentRecord } from './callback.ts'
import { check, type Check, type Judgement } from './check.ts'
import {
  answerTo,
  isAcknowledged,
  maySayUnknown,
  type Evidence,
  type Exchange
} from './evidence.ts'
import { about, failed, ifAcknowledged, judgeBooked, passed, review } from './judging.ts'
import { callbackAddresses } from './mock.ts'
import type { Posting } from './sender.ts'

/** SIG-06 to SIG-09: genuine callbacks that must be taken. */

const longestAnswer = 200
const ownAddress = 'the address of the exam'

/** An honest COMPLETED about a payment. */
export async function honestAbout (
  bench: Bench,
  subject: Subject,
  posting: Posting = {},
  text?: (record: PaymentRecord) => string
): Promise<Exchange> {
  const record = await bench.move(subject, 'COMPLETED')
  return await bench.post('honest COMPLETED', text?.(record) ?? record, posting)
}

/** Facts of an honest callback that must be taken. */
interface Honest {
  subject: Subject
  exchange: Exchange
  seen: Awaited<ReturnType<Bench['observe']>>
  isKnown: boolean
  /** The same callback from another address, if it was taken from there. */
  taken?: { from: string; exchange: Exchange }
}

async function sendHonest (
  bench: Bench,
  posting: Posting = {},
  text?: (record: PaymentRecord) => string
): Promise<Honest> {
  await bench.hold()
  const subject = await bench.subject()
  const exchange = await honestAbout(bench, subject, posting, text)
  return {
    subject,
    exchange,
    seen: await bench.waitUntilPaid(subject),
    isKnown: bench.canDrive('deposit')
  }
}

/** Looks for an address from which a callback is taken that was refused, or was not booked. */
async function tryAddresses (bench: Bench, honest: Honest): Promise<Honest> {
  const { subject, exchange } = honest
  const { status = 0 } = exchange
  const isIgnored = isAcknowledged(exchange) && honest.seen?.paid === false
  const isRefused = status >= 400 && status < 500 && !isAboutUnknown(honest)
  if (!isIgnored && !isRefused) return honest
  const { record } = await bench.mock.payment(subject.kind, subject.id)
  for (const source of [...callbackAddresses.slice(1), null]) {
    const from = source ?? ownAddress
    const again = await bench.post(`honest COMPLETED from ${from}`, record, { source })
    if (isRefused && isAcknowledged(again)) return { ...honest, taken: { from, exchange: again } }
  }
  return isIgnored && (await bench.waitUntilPaid(subject))?.paid === true
    ? await confirmAddress(bench, honest)
    : honest
}

/** A slow application may have booked the first callback by now: other payments tell. */
async function confirmAddress (bench: Bench, honest: Honest): Promise<Honest> {
  for (const source of [null, callbackAddresses[1]]) {
    const { exchange, seen } = await sendHonest(bench, { source })
    if (seen?.paid === true) {
      return { ...honest, taken: { from: source ?? ownAddress, exchange } }
    }
  }
  return honest
}

/** Tells that a callback was refused because of the address that it came from, if so. */
function refusedAddress ({ exchange, taken }: Honest): Judgement | undefined {
  const { response } = exchange
  const said = /\b(ip|ips|ip.?address|remote.?addr\w*|white.?list\w*|allow.?list\w*)\b/i.test(
    response?.body ?? ''
  )
  if (taken === undefined && (!said || isAcknowledged(exchange))) return undefined
  const reason =
    taken === undefined
      ? `, which says: ${response?.body.trim().slice(0, longestAnswer)}`
      : isAcknowledged(exchange)
        ? ` and not booked, and from ${taken.from} it was booked`
        : `, and from ${taken.from} it ${answerTo(taken.exchange)}`
  return {
    ...about(
      exchange,
      failed(
        `the honest callback from ${callbackAddresses[0]} ${answerTo(exchange)}` +
          `${reason}. The application has its own list of addresses, and it is not that of the ` +
          'service'
      )
    ),
    fix:
      'Leave the list of addresses out: the signature proves who sent a callback. If you want ' +
      `one, take the addresses that the service publishes: ${callbackAddresses[0]} for the ` +
      `sandbox, ${callbackAddresses.slice(1).join(', ')} for production.`
  }
}

/** Was it refused because the merchant does not know the payment? That may be right. */
export function isAboutUnknown ({ isKnown, exchange }: Pick<Honest, 'isKnown' | 'exchange'>) {
  return !isKnown && maySayUnknown(exchange)
}

/** Judges an honest callback: it must be acknowledged, and booked where that can be seen. */
function judgeHonest (
  what: string,
  { subject, exchange, seen, isKnown }: Honest,
  { hasAskedForKeys, journal }: Evidence
): Judgement {
  if (!isAcknowledged(exchange)) {
    const { status = 0 } = exchange
    const answer = `${what} ${answerTo(exchange)}`
    if (isAboutUnknown({ isKnown, exchange })) {
      return review(
        `${answer}. It is about a payment that the merchant did not start, so that may be ` +
          'right; give drive.deposit to know'
      )
    }
    const because =
      hasAskedForKeys || status === 0
        ? answer
        : `${answer}. The application did not ask for the public keys during this exam: ` +
          whyNoKeys(journal)
    return ifAcknowledged(failed(because))
  }
  return seen === undefined
    ? passed(`${what} ${answerTo(exchange)}`)
    : judgeBooked(what, subject, seen, exchange)
}

/** Why an application may refuse a callback without a look at the public keys. */
function whyNoKeys (journal: Evidence['journal']): string {
  // An application that has started a payment here knows the base URL and the token.
  const otherCause =
    journal.length === 0
      ? "are its base URL and its token those of the exam's mock"
      : 'does another check refuse it, such as a list of addresses or a secret of its own'
  return `${otherCause}, or are its keys from an earlier run?`
}

/** The fix for an answer that is no refusal of the signature. */
function fixFor (exchange: Exchange, { hasAskedForKeys }: Evidence): string | undefined {
  const { status } = exchange
  if (status === undefined || status >= 500) {
    return (
      'Look into the log of your application for the error behind this answer. The callback ' +
      'itself is a usual one.'
    )
  }
  if (isAcknowledged(exchange)) {
    return (
      'The callback was acknowledged and not booked. Look up the payment by the identifier that ' +
      'you stored before you sent it, and book it when status is COMPLETED and amount and ' +
      'currency are those of the order.'
    )
  }
  if (status === 403 && !hasAskedForKeys) {
    return (
      'Find what refuses it before the signature is verified: a firewall, a login, a CSRF check ' +
      'or a list of addresses of your own. Take the callback route out of it, and verify the ' +
      'RFC 9421 signature that the service sends: it proves who sent a callback.'
    )
  }
  return [404, 405, 409, 410, 422].includes(status)
    ? 'Check the callback URL and its method, and look up the payment by the identifier that you ' +
        'stored before you sent it.'
    : undefined
}

/** A judgement that counts whatever becomes of other callbacks. */
function withoutControl ({ control: _, ...judgement }: Judgement): Judgement {
  return judgement
}

/** SIG-07, which is also the control of other checks: is an ordinary genuine callback taken? */
export const genuine = check({
  id: 'SIG-07',
  title: 'genuine callbacks are refused or ignored',
  proves: 'genuine callbacks are taken',
  requirement: {
    rule: 'A signed callback of the service is acknowledged with 2xx and takes effect.',
    source: 'API rules'
  },
  severity: 'critical',
  depth: [0],
  needs: [],
  does:
    'An honest, signed COMPLETED is posted, from an address that the service publishes. If it ' +
    'is refused, it is posted from others.',
  shouldBe: 'It is answered with 2xx, and the payment is booked.',
  why:
    'Customers pay and get nothing. Most such handlers wait for an HMAC header that the ' +
    'service does not send.',
  fix:
    'Verify the RFC 9421 signature that the service sends. There is no shared secret and no ' +
    'X-Signature header.',
  showsVerification: true,
  stage: async (bench) => await tryAddresses(bench, await sendHonest(bench)),
  judge: (facts, evidence) => {
    const refused = refusedAddress(facts)
    if (refused !== undefined) return refused
    const judgement = about(
      facts.exchange,
      withoutControl(judgeHonest('the honest callback', facts, evidence))
    )
    const fix = fixFor(facts.exchange, evidence)
    return judgement.verdict === 'PASSED' || fix === undefined ? judgement : { ...judgement, fix }
  }
})

const honestRows: Check[] = [
  genuine,
  check({
    id: 'SIG-08',
    title: 'one second of clock skew is refused',
    proves: 'one second of clock skew is tolerated',
    requirement: {
      rule: 'Clocks differ: a signature that was created a moment ahead is valid.',
      source: 'RFC 9421'
    },
    severity: 'medium',
    depth: [0],
    needs: [],
    does: 'An honest callback is signed one second ahead of the time.',
    shouldBe: 'It is answered with 2xx, and the payment is booked.',
    why:
      'Two machines never show the same time. Some callbacks will be refused, and nobody will ' +
      'know which.',
    fix:
      'Allow a tolerance of some seconds when you compare the created parameter with your ' +
      'clock.',
    stage: (bench) => sendHonest(bench, { ageMs: -1000 }),
    judge: (facts, evidence) =>
      judgeHonest('the honest callback, signed one second ahead,', facts, evidence)
  }),
  check({
    id: 'SIG-09',
    title: 'JSON that was serialised again is verified instead of the bytes',
    proves: 'the bytes of the body are verified',
    requirement: {
      rule: 'The digest is that of the bytes of the body as they arrived.',
      source: 'RFC 9530'
    },
    severity: 'high',
    depth: [0],
    needs: [],
    does:
      'The same JSON with other spacing, key order, escapes and a final newline is posted, ' +
      'signed honestly.',
    shouldBe: 'It is answered with 2xx, and the payment is booked.',
    why:
      'It works until the service writes its JSON a little differently. Then every callback is ' +
      'refused.',
    fix:
      'Keep the raw body (express.raw, $request->getContent(), request.body) and compute the ' +
      'digest of that. Parse afterwards.',
    showsVerification: true,
    stage: (bench) => sendHonest(bench, {}, rewritten),
    judge: (facts, evidence) => judgeHonest('the honest callback in other bytes', facts, evidence)
  })
]

const rotation = check({
  id: 'SIG-06',
  title: 'a rotated key is refused for ever',
  proves: 'callbacks that are signed with a new key are taken',
  requirement: {
    rule: 'Keys change. A keyid that is not known is looked up again.',
    source: 'API rules'
  },
  severity: 'high',
  depth: [0],
  needs: [],
  runsLast: true,
  does:
    'An honest callback, then the keys rotate, then another honest callback, repeated as the ' +
    'service does.',
  shouldBe:
    'The list of keys is fetched again, and the callback is taken, at the latest when it is ' +
    'repeated.',
  why:
    'On the day the service changes its key, every callback is refused until somebody restarts ' +
    'the application.',
  fix:
    'When keyid is not among the keys you know, fetch GET /v2/public-key/http again, at most ' +
    'every few seconds.',
  stage: async (bench) => {
    const first = await sendHonest(bench)
    await bench.mock.rotateKeys()
    const subject = await bench.subject()
    const record = await bench.move(subject, 'COMPLETED')
    const tries: Exchange[] = []
    // The service repeats after 1, 2, 4 … seconds.
    for (let pauseMs = 1000, waited = 0; ; waited += pauseMs, pauseMs *= 2) {
      tries.push(await bench.post('honest COMPLETED, signed with a new key', record))
      const isOver = waited + pauseMs > bench.settings.patienceMs
      if (isAcknowledged(tries.at(-1) ?? {}) || isOver || !isAcknowledged(first.exchange)) break
      await bench.pause(pauseMs)
    }
    const last = tries.at(-1) ?? first.exchange
    return {
      first,
      second: {
        subject,
        exchange: last,
        seen: await bench.waitUntilPaid(subject),
        isKnown: first.isKnown
      },
      tries: tries.length
    }
  },
  judge: ({ first, second, tries }, evidence) => {
    const before = judgeHonest('the honest callback before the keys rotate', first, evidence)
    if (before.verdict !== 'PASSED') return before
    const after = judgeHonest(
      `the honest callback with the new key (${tries} ${tries === 1 ? 'try' : 'tries'})`,
      second,
      evidence
    )
    // The callback before is the control of this one: the new key is the only difference.
    return withoutControl(after)
  }
})

/** Checks of genuine callbacks. */
export const honestChecks: readonly Check[] = [rotation, ...honestRows]
