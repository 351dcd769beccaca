import type { Bench, Subject } from './bench.ts'
import { inStatus } from './callback.ts'
import { check, type Check } from './check.ts'
import { answerTo, isAcknowledged, type Exchange } from './evidence.ts'
import {
  about,
  failed,
  gravest,
  ifAcknowledged,
  ifBooked,
  inconclusive,
  passed,
  review,
  warning
} from './judging.ts'

/** END: behaviour of the callback URL. */

/** An honest COMPLETED about a payment that waits. */
async function sendHonest (bench: Bench): Promise<Exchange> {
  await bench.hold()
  const subject = await bench.subject()
  return await bench.post('honest COMPLETED', await bench.move(subject, 'COMPLETED'))
}

const slow = check({
  id: 'END-01',
  title: 'it is slower than the time-out',
  proves: 'callbacks are answered in time',
  requirement: {
    rule: 'A callback is answered within 10 seconds, or it counts as not delivered.',
    source: 'API rules'
  },
  severity: 'high',
  depth: [0],
  needs: [],
  runsFirst: true,
  does: 'An honest callback is posted, and the time until its answer is measured.',
  shouldBe: 'It is answered within two seconds.',
  why:
    'A slow handler is called again while the first call still works, and its payments are ' +
    'booked twice or never.',
  fix: 'Store the callback, answer 200, and do what takes long in a job.',
  stage: async (bench) => ({ exchange: await sendHonest(bench), limits: bench.settings.limits }),
  judge: ({ exchange: { durationMs, status, error }, limits }) => {
    const seconds = `${(durationMs / 1000).toFixed(1)} s`
    if (durationMs >= limits.callbackTimeoutMs) {
      return failed(`no answer came within ${limits.callbackTimeoutMs / 1000} s`)
    }
    if (status === undefined) return failed(`no answer came: ${error}`)
    // A refusal is fast: it says nothing about the handler.
    return durationMs > limits.slowMs
      ? warning(`the answer took ${seconds}`)
      : ifAcknowledged(passed(`the answer took ${seconds}`))
  }
})

/** Explains a status by the component in front of the endpoint that usually sends it. */
const gates: Record<number, string> = {
  401: 'a login, or a check that knows another kind of signature',
  403: 'a CSRF check, a login, a firewall or a list of addresses',
  405: 'a route for another method; callbacks come by POST',
  419: 'a CSRF token that is expected'
}

const gate = check({
  id: 'END-02',
  title: 'a redirect, a login, a CSRF token or a wrong method is in front of it',
  proves: 'nothing stands in front of the callback URL',
  requirement: {
    rule: 'The callback URL takes POST with JSON, without a login, and does not redirect.',
    source: 'API rules'
  },
  severity: 'high',
  depth: [0],
  needs: [],
  does: 'An honest callback is posted.',
  shouldBe: 'It is not answered with 3xx, 401, 403, 405 or 419.',
  why: 'No callback ever arrives where it should, and the service does not follow redirects.',
  fix:
    'Take the callback route out of the login and the CSRF check, and write its final URL into ' +
    'the dashboard of the service.',
  stage: sendHonest,
  judge: (exchange) => {
    const { status = 0, response } = exchange
    const answer = `an honest callback ${answerTo(exchange)}`
    if (status >= 300 && status < 400) {
      return failed(`${answer} to ${String(response?.headers.location ?? 'nowhere')}`)
    }
    if (status in gates) return failed(`${answer}: ${gates[status]}`)
    if (status === 0) return failed(answer)
    return status >= 500
      ? review(`${answer}, which does not say what stands in front of the handler (see SIG-07)`)
      : ifAcknowledged(passed(answer))
  }
})

/** Kinds and versions of callbacks that can arrive at the same URL. */
const others = [
  ['payout', 'v2'],
  ['refund', 'v2'],
  ['checkout', 'v2'],
  ['payout', 'v1'],
  ['refund', 'v1']
] as const

const kinds = check({
  id: 'END-03',
  title: 'other kinds at the same URL are refused',
  proves: 'other kinds at the same URL are answered with 2xx',
  requirement: {
    rule: 'Callbacks of several kinds, and of both versions, can come to one URL.',
    source: 'API rules'
  },
  severity: 'medium',
  depth: [0],
  needs: [],
  does: 'Honest payout, refund and checkout callbacks are posted, in v2 and v1.',
  shouldBe: 'They are answered with 2xx.',
  why:
    'The first refund from the dashboard is repeated for 15 minutes and fills the error log, ' +
    'or crashes the handler.',
  fix:
    'Find out the kind by its identifier (depositId, payoutId, refundId, checkoutId). Answer ' +
    '200 to what is not yours.',
  stage: async (bench) => {
    const tries: Array<{ what: string; exchange: Exchange }> = []
    for (const kind of ['deposit', 'payout', 'refund'] as const) await bench.hold(kind)
    for (const [kind, version] of others) {
      const subject: Subject = await bench.stranger(kind, version)
      const record =
        kind === 'checkout'
          ? inStatus(subject.record, 'COMPLETED')
          : await bench.move(subject, 'COMPLETED')
      const what = `${kind} callback of ${version}`
      tries.push({ what, exchange: await bench.post(`honest ${what}`, record) })
    }
    return tries
  },
  judge: (tries) =>
    gravest(
      tries.map(({ what, exchange }) => {
        const answer = `the ${what} ${answerTo(exchange)}`
        if (isAcknowledged(exchange)) {
          return passed('callbacks of every kind were answered with 2xx')
        }
        return about(
          exchange,
          ifAcknowledged(
            exchange.status === 404
              ? warning(`${answer}; the service will repeat it for 15 minutes`)
              : failed(answer)
          )
        )
      })
    )
})

const burst = check({
  id: 'END-04',
  title: 'it fails under many callbacks at once',
  proves: 'many callbacks at once are all booked',
  requirement: { rule: 'After an outage callbacks come all at once.', source: 'Standard Webhooks' },
  severity: 'medium',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does:
    '200 honest callbacks of 200 payments are posted at once; what is not acknowledged is ' +
    'repeated once.',
  shouldBe: 'All of them are booked.',
  why: 'The day with the most payments is the day on which payments are lost.',
  fix:
    'Keep the handler short, use a connection pool, and answer 503 rather than 200 when it is ' +
    'too much.',
  stage: async (bench) => {
    const size = bench.settings.burst
    await bench.hold()
    const references: string[] = []
    const width = 10
    for (let n = 0; n < size; n += width) {
      const drives = await Promise.all(
        Array.from({ length: Math.min(width, size - n) }, () => bench.driveOnly())
      )
      references.push(...drives.flatMap(({ reference }) => reference ?? []))
    }
    const payments = await bench.watcher.waitForPayments(size)
    const records = await Promise.all(
      payments.map(async ({ id }) => (await bench.mock.move('deposit', id, 'COMPLETED')).record)
    )
    const exchanges = await bench.postAtOnce(
      `one of ${size} at once`,
      records.length,
      async () => records
    )
    const missed = records.filter((_, n) => !isAcknowledged(exchanges[n]))
    if (missed.length > 0) await bench.settle()
    for (const record of missed) await bench.post('repeat after the burst', record)
    await bench.settle()
    let booked = 0
    for (const reference of references) {
      if ((await bench.waitUntilPaid({ kind: 'deposit', reference }))?.paid === true) booked++
    }
    return {
      size,
      started: payments.length,
      known: references.length,
      booked,
      missed: missed.length
    }
  },
  judge: ({ size, started, known, booked, missed }) => {
    if (known < size || started < size) {
      return inconclusive(
        `of ${size} drives ${started} reached the API and ${known} gave a reference; the ` +
          'burst was not complete'
      )
    }
    if (booked < size) {
      return ifBooked(
        failed(
          `${booked} of ${size} payments were booked; ${missed} callbacks of the burst were ` +
            'not acknowledged'
        )
      )
    }
    return missed > 0
      ? ifAcknowledged(
        warning(`all were booked, but ${missed} of ${size} callbacks had to be repeated`)
      )
      : passed(`all ${size} payments were booked`)
  }
})

/** Checks of the endpoint, in the order of the catalogue. */
export const endpointChecks: readonly Check[] = [slow, gate, kinds, burst]
