import { randomUUID } from 'node:crypto'
import { buildConfiguredCatalogue, chooseClientToken } from '../config/configured.ts'
import { ConfigError, type Config } from '../config/config.ts'
import type { Catalogue, Provider } from '../domain/catalogue.ts'
import { kinds } from '../domain/kinds.ts'
import { writeCurl } from '../lib/curl.ts'
import { hasColours, paintText } from '../lib/colour.ts'
import { parseDuration } from '../lib/duration.ts'
import { explainNoAnswer } from '../lib/no-answer.ts'
import { showText } from '../lib/terminal-text.ts'
import { explainProvider } from '../domain/similar-provider.ts'
import { exitCodes, type CommandInput, type RunCommand } from './command.ts'
import { followPayment } from './follow-payment.ts'
import { findMockUrl } from './mock-url.ts'
import { findRunningMock, type RunningMock } from './running-mock.ts'
import { buildSampleRequest, sendableKinds, type SendableKind } from './sample-requests.ts'

const usualProvider = 'MTN_MOMO_ZMB'
const longestTimeoutMs = 60 * 60_000
/** Time to follow a payment. The customer of a checkout needs longer. */
const usualTimeout: Record<SendableKind, string> = {
  deposit: '30s',
  payout: '30s',
  refund: '30s',
  remittance: '30s',
  checkout: '15m'
}

/** Request that is ready to be sent. */
interface SampleRequest {
  kind: SendableKind
  id: string
  url: string
  headers: Record<string, string>
  body: object
}

/** `momock send KIND`: makes a payment and follows it to its end. */
export const run: RunCommand = async (input) => {
  const problems: string[] = []
  const kind = readKind(input.words, problems)
  const timeoutMs = readTimeout(input.flags.timeout ?? usualTimeout[kind], problems)
  const settings = await input.config()
  const catalogue = buildConfiguredCatalogue(settings)
  const provider = readProvider(input.flags.provider, catalogue, problems)
  const build = (deposit?: string): SampleRequest =>
    buildRequest(input, settings, kind, provider, catalogue, deposit)
  if (input.flags.curl === true) return printCurl(input, build, kind, problems)
  const mock = await findRunningMock('send', input, problems)
  if (mock === undefined) return exitCodes.address
  const deposit = kind === 'refund' ? await findDeposit(input, mock, timeoutMs) : undefined
  if (kind === 'refund' && deposit === undefined) return exitCodes.failed
  return await sendAndFollow(input, mock, build(deposit), timeoutMs)
}

function readKind ([word, ...more]: string[], problems: string[]): SendableKind {
  const found = sendableKinds.find((kind) => kind === word || kinds[kind].path === word)
  const list = `the kinds are ${sendableKinds.join(', ')}`
  if (word === undefined) problems.push(`name a kind: momock send KIND; ${list}`)
  else if (found === undefined) problems.push(`'${word}' cannot be sent; ${list}`)
  if (more.length > 0) problems.push(`only one kind can be sent, got '${more.join(' ')}' too`)
  return found ?? 'deposit'
}

function readTimeout (given: unknown, problems: string[]): number {
  const timeoutMs = parseDuration(given as string) ?? 0
  if (timeoutMs < 1 || timeoutMs > longestTimeoutMs) {
    problems.push(`--timeout must be more than 0 and at most 1h, got '${String(given)}'`)
  }
  return timeoutMs
}

function readProvider (
  given: unknown,
  { providers }: Catalogue,
  problems: string[]
): Provider | undefined {
  const code = typeof given === 'string' ? given : usualProvider
  const found = providers.get(code)
  if (found === undefined) {
    const names = [...providers.keys()]
    const why = explainProvider(code, names)
    problems.push(`there is no provider '${code}': ${why}\n  it is one of ${names.join(', ')}`)
  }
  return found
}

function buildRequest (
  { flags }: CommandInput,
  settings: Config,
  kind: SendableKind,
  provider: Provider | undefined,
  catalogue: Catalogue,
  deposit = flags.deposit as string | undefined
): SampleRequest {
  if (provider === undefined) throw new Error('the provider was checked before')
  const base = findMockUrl(flags.url, settings, [])
  const id = (flags.id as string | undefined) ?? randomUUID()
  const given = {
    id,
    deposit,
    amount: flags.amount as string | undefined,
    currency: flags.currency as string | undefined,
    phoneNumber: flags.phoneNumber as string | undefined,
    returnUrl: `${base}/`
  }
  return {
    kind,
    id,
    url: `${base}/v2/${kinds[kind].path}`,
    headers: {
      Authorization: `Bearer ${chooseClientToken(settings)}`,
      'Content-Type': 'application/json',
      ...(typeof flags.scenario === 'string' && { 'X-Momock-Scenario': flags.scenario })
    },
    body: buildSampleRequest(kind, provider, given, catalogue)
  }
}

function printCurl (
  { flags, out }: CommandInput,
  build: () => SampleRequest,
  kind: SendableKind,
  problems: string[]
): number {
  if (kind === 'refund' && flags.deposit === undefined) {
    problems.push('--curl of a refund needs --deposit: the identifier of the deposit')
  }
  if (problems.length > 0) throw new ConfigError(problems)
  const { url, headers, body } = build()
  out.write(`${writeCurl({ method: 'POST', url, headers, body: JSON.stringify(body) })}\n`)
  return exitCodes.fine
}

/** Finds the deposit of a refund: the given one, the latest that completed, or a new one. */
async function findDeposit (
  input: CommandInput,
  mock: RunningMock,
  timeoutMs: number
): Promise<string | undefined> {
  const { flags, err, config } = input
  if (typeof flags.deposit === 'string') return flags.deposit
  const [latest] = await mock.client.payments({
    kind: 'deposit',
    status: 'COMPLETED',
    order: 'newest',
    limit: 1
  })
  if (latest !== undefined) return latest.id
  err.write('no deposit has completed yet, so one is made first\n')
  const settings = await config()
  const catalogue = buildConfiguredCatalogue(settings)
  const provider = readProvider(flags.provider, catalogue, [])
  const { id: _, ...rest } = flags
  const own = { ...input, flags: rest }
  const request = buildRequest(own, settings, 'deposit', provider, catalogue)
  const code = await sendAndFollow(own, mock, request, timeoutMs)
  return code === exitCodes.fine ? request.id : undefined
}

/** Sends a request, prints its answer, and prints the events of the payment until its end. */
async function sendAndFollow (
  input: CommandInput,
  { client, url }: RunningMock,
  request: SampleRequest,
  timeoutMs: number
): Promise<number> {
  const { out, env } = input
  const { isSuccess, note } = await followPayment(client, request, timeoutMs, {
    write: (text) => out.write(text),
    colours: hasColours(out, env),
    send: async () => {
      const answer = await askForAnswer(request)
      out.write(`POST ${request.url}\n`)
      if (typeof answer === 'string') {
        out.write(`${paintText('red', showText(answer), out, env)}\n`)
        // The mock may have taken the payment although its answer was lost.
        const [payment] = await client.payments({ search: request.id, limit: 1 })
        if (payment !== undefined) out.write('The mock has the payment nevertheless.\n')
        return payment !== undefined
      }
      const { status, text, word, redirectUrl } = answer
      const isAccepted = status === 200 && word === 'ACCEPTED'
      const line = showText(`${status} ${text}`)
      out.write(`${paintText(isAccepted ? 'green' : 'red', line, out, env)}\n`)
      if (redirectUrl !== undefined) {
        out.write(`The customer pays at ${showText(String(redirectUrl))}\n`)
      }
      return isAccepted
    }
  })
  if (note !== undefined) out.write(`${note} The dashboard shows it: ${url}/__admin/ui\n`)
  return isSuccess ? exitCodes.fine : exitCodes.failed
}

/** Answer to a request, with its status word and the page of the customer. */
interface Answer {
  status: number
  text: string
  word: unknown
  redirectUrl?: unknown
}

/** Sends a request. Returns a sentence if there is no whole answer: a scenario can ask for that. */
async function askForAnswer ({ url, headers, body }: SampleRequest): Promise<Answer | string> {
  let response: Response
  let text: string
  try {
    response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  } catch (error) {
    return `no answer: ${explainNoAnswer(error, 0).problem}`
  }
  const { status } = response
  try {
    text = await response.text()
  } catch {
    return `${status}, but the connection was closed in the middle of the answer`
  }
  try {
    const { status: word, redirectUrl } = JSON.parse(text)
    return { status, text, word, redirectUrl }
  } catch {
    return `${status} ${text} (this is not JSON)`
  }
}
