import { sendRequest, type Reply } from './caller.ts'
import { judgePair } from './comparison.ts'
import type { Contract, Operation } from './contract.ts'
import { buildCheck, readCode, judgeReply, type Check } from './judgement.ts'
import { describeReply, listQuestions, type OpenQuestion } from './open-questions.ts'
import type { SandboxProvider } from './sandbox-providers.ts'
import { paymentProbes } from './payment-probes.ts'
import { seedIds, safeProbes, type Probe } from './probes.ts'
import { showMediaType, showUrl } from './redaction.ts'
import { runProbes, type NotSent, type Target } from './run.ts'
import { findProviders } from './sandbox.ts'

/** Checks of servers: one server with the contract, or two servers with each other. */

/** Reason why a server cannot be checked. */
export interface Obstacle {
  what: 'address' | 'token'
  message: string
}

/** Finds a reason why a server cannot be checked: no server, another API, or a refused token. */
export async function findObstacle (
  target: Target,
  { operations }: Contract
): Promise<Obstacle | undefined> {
  const named = (id: string): Operation | undefined => operations.find((one) => one.id === id)
  const operation = named('v2GetAvailability') ?? named('v1GetActiveConfiguration')
  const reply = await get(target, operation?.path ?? '/')
  const shown = showUrl(target.url)
  if ('problem' in reply) {
    const message = `${shown} cannot be checked: ${reply.problem}`
    const orWait = reply.isTimeout === true ? ', or wait longer with --timeout' : ''
    return { what: 'address', message: `${message}; check the address${orWait}` }
  }
  const { status, isJson, contentType, body } = reply.answer
  if (!isJson) {
    const sent = showMediaType(contentType)
    const message = `${shown} is not a server of this API: it answers ${status} with ${sent}`
    return { what: 'address', message: `${message} instead of JSON; check the address` }
  }
  if (status === 401 && readCode(body) !== 'HTTP_SIGNATURE_ERROR') {
    const advice = 'set a token of that server with --token or MOMOCK_TOKEN'
    return { what: 'token', message: `${shown} refuses the token (401); ${advice}` }
  }
}

/** Lists the providers of an account from its active configuration. */
export async function listOfferedProviders (
  target: Target,
  { operations }: Contract
): Promise<string[]> {
  const operation = operations.findLast(({ id }) => id.endsWith('GetActiveConfiguration'))
  const reply = await get(target, operation?.path ?? '/')
  return 'answer' in reply ? findProviders(reply.answer.body) : []
}

/** Providers of payments: one, and one without decimals if there is any. */
export interface WritingProviders {
  provider: SandboxProvider
  whole?: SandboxProvider
}

/** Sends every request to one or two servers and judges the replies. */
export async function checkServers (
  contract: Contract,
  targets: readonly Target[],
  seed: string,
  writing?: WritingProviders
): Promise<{ checks: Check[]; questions?: OpenQuestion[] }> {
  const newId = seedIds(seed)
  const payments = writing === undefined ? [] : paymentProbes(contract, writing.provider, newId)
  const judged = [...safeProbes(contract, newId), ...payments]
  const asked =
    writing === undefined
      ? []
      : listQuestions(contract, writing.provider, writing.whole, newId)
  const probes = [...judged, ...asked.flatMap(({ probe }) => probe ?? [])]
  const replies = await Promise.all(targets.map(async (target) => await runProbes(probes, target)))
  const repliesTo = (probe: Probe): Array<Reply | NotSent | undefined> =>
    replies.map((list) => list[probes.indexOf(probe)])
  return {
    checks: judged.map((probe) => judgeReplies(probe, repliesTo(probe), contract)),
    ...(writing !== undefined && {
      questions: asked.map(({ probe, ...question }) => ({
        ...question,
        answers: (probe === undefined ? [undefined] : repliesTo(probe)).map(describeReply)
      }))
    })
  }
}

function judgeReplies (
  probe: Probe,
  [first, second]: Array<Reply | NotSent | undefined>,
  contract: Contract
): Check {
  const question = { ...probe, hasToken: probe.token === 'given' }
  if (first === undefined) throw new Error('a suite without a server')
  if ('notSent' in first) return skip(probe, first.notSent)
  if (second === undefined) return judgeReply(question, first, contract)
  if ('notSent' in second) return skip(probe, second.notSent)
  return judgePair(question, first, second, contract)
}

function skip (probe: Probe, reason: string): Check {
  return { ...buildCheck(probe, []), outcome: 'skipped', reason }
}

async function get ({ url, token, timeoutMs }: Target, path: string): Promise<Reply> {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` }
  return await sendRequest({ method: 'GET', url: `${url}${path}`, headers }, timeoutMs)
}
