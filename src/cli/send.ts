import { randomUUID } from 'node:crypto'
import { buildConfiguredCatalogue, chooseClientToken } from '../config/configured.ts'
import type { Catalogue, Provider } from '../domain/catalogue.ts'
import { kinds, type KindName } from '../domain/kinds.ts'
import { writeCurl } from '../lib/curl.ts'
import { hasColours, paintText } from '../lib/colour.ts'
import { parseDuration } from '../lib/duration.ts'
import { mapValues } from '../lib/json.ts'
import { explainNoAnswer } from '../lib/no-answer.ts'
import { showText } from '../lib/terminal-text.ts'
import { explainProvider } from '../domain/similar-provider.ts'
import { exitCodes, type CommandInput, type RunCommand } from './command.ts'
import { followPayment } from './follow-payment.ts'
import { findRunningMock, type RunningMock } from './running-mock.ts'

const names = Object.keys(kinds) as KindName[]
const usualProvider = 'MTN_MOMO_ZMB'
const longestTimeoutMs = 60 * 60_000
/** Time to follow a payment. The customer of a checkout needs longer. */
const usualTimeout = (kind: KindName): string => (kind === 'checkout' ? '15m' : '30s')

/** Request that is ready to be sent. */
interface SampleRequest {
  kind: KindName
  id: string
  url: string
  headers: Record<string, string>
  body: object
}

/** `momock send KIND`: makes a payment and follows it to its end. */
export const run: RunCommand = async (input) => {
  const problems: string[] = []
  const kind = readKind(input.words, problems)
  const timeoutMs = readTimeout(input.flags.timeout ?? usualTimeout(kind), problems)
  const settings = await input.config()
  const catalogue = buildConfiguredCatalogue(settings)
  const provider = readProvider(input.flags.provider, catalogue, problems)
  const isPrinted = input.flags.curl === true
  if (isPrinted && kind === 'refund' && input.flags.deposit === undefined) {
    problems.push('--curl of a refund needs --deposit: the identifier of the deposit')
  }
  const mock = await findRunningMock('send', input, problems)
  if (mock === undefined) return exitCodes.address
  const isRefund = kind === 'refund'
  const deposit = isRefund ? await findDeposit(input, mock, provider, timeoutMs) : undefined
  if (isRefund && deposit === undefined) return exitCodes.failed
  const request = await buildRequest(input, mock, kind, provider, deposit)
  if (!isPrinted) return await sendAndFollow(input, mock, request, timeoutMs)
  const { url, headers, body } = request
  input.out.write(`${writeCurl({ method: 'POST', url, headers, body: JSON.stringify(body) })}\n`)
  return exitCodes.fine
}

function readKind ([word, ...more]: string[], problems: string[]): KindName {
  const found = names.find((kind) => kind === word || kinds[kind].path === word)
  const list = `the kinds are ${names.join(', ')}`
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

/** Asks the mock for an example, and writes the given values into it as they are. */
async function buildRequest (
  { flags }: CommandInput,
  { client, url, settings }: RunningMock,
  kind: KindName,
  provider: Provider | undefined,
  depositId?: string
): Promise<SampleRequest> {
  const { amount, currency, phoneNumber, id = randomUUID() } = flags as Record<string, string>
  const terms = { amount, currency, phoneNumber, depositId, provider: provider?.code }
  const example = await client.example({ kind, ...terms })
  const [successfulUrl, failedUrl, returnUrl] = Array<string>(3).fill(`${url}/`)
  const given: Record<string, string | undefined> = {
    [kinds[kind].idField]: id,
    ...{ amount, currency, phoneNumber, returnUrl, successfulUrl, failedUrl }
  }
  const body = mapValues(example.body, (value, name, path) =>
    path.includes('sender') ? value : (given[name] ?? value)
  ) as Record<string, unknown>
  // Without an amount, everything is refunded.
  if (kind === 'refund' && amount === undefined) delete body.amount
  return {
    kind,
    id,
    url: url + example.path,
    headers: {
      Authorization: `Bearer ${chooseClientToken(settings)}`,
      'Content-Type': 'application/json',
      ...(typeof flags.scenario === 'string' && { 'X-Momock-Scenario': flags.scenario })
    },
    body
  }
}

/** Finds the deposit of a refund: the given one, the latest that completed, or a new one. */
async function findDeposit (
  input: CommandInput,
  mock: RunningMock,
  provider: Provider | undefined,
  timeoutMs: number
): Promise<string | undefined> {
  const { flags, err } = input
  if (typeof flags.deposit === 'string') return flags.deposit
  const [latest] = await mock.client.payments({
    kind: 'deposit',
    status: 'COMPLETED',
    order: 'newest',
    limit: 1
  })
  if (latest !== undefined) return latest.id
  err.write('no deposit has completed yet, so one is made first\n')
  const { id: _, ...rest } = flags
  const own = { ...input, flags: rest }
  const request = await buildRequest(own, mock, 'deposit', provider)
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
