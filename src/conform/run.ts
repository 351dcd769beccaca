import { setTimeout as wait } from 'node:timers/promises'
import { sendRequest, type Reply } from './caller.ts'
import { isObject } from '../lib/json.ts'
import { readRecordStatus } from './judgement.ts'
import type { Probe } from './probes.ts'

/** Run of a suite. Requests are sent one after the other, to keep the load of a sandbox low. */

export interface Target {
  /** URL without a slash at its end. */
  url: string
  token: string
  timeoutMs: number
}

/** Time for a payment to finish: about half a minute, with longer and longer pauses. */
const polling = { tries: 33, firstPauseMs: 100, longestPauseMs: 1000 } as const

/** Requests without an answer in a row, after which the run stops. */
const givenUpAfter = 3

const unknownToken = 'conform-no-such-token'

/** Reason why a request was not sent. */
export interface NotSent {
  notSent: string
}

/** Sends the requests of a suite in their order. Returns a reply for each. */
export async function runProbes (
  probes: readonly Probe[],
  target: Target
): Promise<Array<Reply | NotSent>> {
  const replies: Array<Reply | NotSent> = []
  const seen: Record<string, string> = {}
  const accepted = new Set<string>()
  let unanswered = 0
  for (const probe of probes) {
    if (unanswered === givenUpAfter) {
      replies.push({ notSent: `${givenUpAfter} requests in a row got no answer` })
      continue
    }
    if (probe.after !== undefined && !accepted.has(probe.after)) {
      replies.push({ notSent: 'its payment was not accepted' })
      continue
    }
    const reply = await sendUntilFinal(probe, target, seen)
    unanswered = 'problem' in reply ? unanswered + 1 : 0
    if ('answer' in reply) {
      rememberIds(reply.answer.body, seen)
      if (probe.label !== undefined && isAccepted(reply.answer.body)) accepted.add(probe.label)
    }
    replies.push(reply)
  }
  return replies
}

function isAccepted (body: unknown): boolean {
  return isObject(body) && body.status === 'ACCEPTED'
}

async function sendUntilFinal (
  probe: Probe,
  target: Target,
  seen: Record<string, string>
): Promise<Reply> {
  for (let tries = 1; ; tries++) {
    const reply = await sendProbe(probe, target, seen)
    if (probe.final === undefined || 'problem' in reply || tries === polling.tries) return reply
    const { status, body } = reply.answer
    if (status !== 200 || readRecordStatus(body) === probe.final) return reply
    await wait(Math.min(polling.firstPauseMs * 2 ** (tries - 1), polling.longestPauseMs))
  }
}

async function sendProbe (
  { operation, token, parameters, query = '', body }: Probe,
  target: Target,
  seen: Record<string, string>
): Promise<Reply> {
  const path = operation.path.replace(/\{(\w+)\}/g, (whole, name: string) =>
    encodeURIComponent(parameters[name] ?? seen[name] ?? whole)
  )
  const sent = { given: target.token, unknown: unknownToken, none: undefined }[token]
  return await sendRequest(
    {
      method: operation.method,
      url: `${target.url}${path}${query}`,
      headers: {
        accept: 'application/json',
        ...(sent !== undefined && { authorization: `Bearer ${sent}` }),
        ...(body !== undefined && { 'content-type': 'application/json' })
      },
      ...(body !== undefined && { body })
    },
    target.timeoutMs
  )
}

/** Keeps identifiers that the server makes, such as statementId. */
function rememberIds (body: unknown, seen: Record<string, string>): void {
  if (!isObject(body)) return
  for (const [name, value] of Object.entries(body)) {
    if (name.endsWith('Id') && typeof value === 'string') seen[name] = value
  }
}
