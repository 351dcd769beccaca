import { baseOf } from '../lib/url.ts'
import { systemClock } from '../lib/clock.ts'
import { ConfigError } from '../config/config.ts'
import { chooseClientToken } from '../config/configured.ts'
import { showUrl } from '../conform/redaction.ts'
import type { Target } from '../conform/run.ts'
import { isSandbox } from '../conform/sandbox.ts'
import { parseDuration } from '../lib/duration.ts'
import type { CommandInput } from './command.ts'
import { checkReportFiles } from './reports.ts'
import { findMockUrl } from './mock-url.ts'

const longestMs = 10 * 60_000

/** Plan of `momock conform`, from its flags. */
export interface ConformPlan {
  /** One server, two servers to compare, or none for a recording. */
  targets: Target[]
  har?: string
  /** Base address that selects requests of a recording. */
  base?: string
  isWriting: boolean
  provider?: string
  seed: string
}

/** Reads the plan from the flags. Throws a ConfigError that names every problem. */
export async function readPlan ({
  flags,
  words,
  config,
  folder
}: CommandInput): Promise<ConformPlan> {
  const { url, har, write, provider, seed, secondToken } = flags
  const timeoutMs = parseDuration(String(flags.timeout)) ?? 0
  const problems = [
    ...checkReportFiles({ flags, folder }),
    ...checkFlags(flags, words, timeoutMs)
  ]
  const settings = await config()
  const isRecording = typeof har === 'string'
  const named = words.length > 0 ? words.map(baseOf) : [findMockUrl(url, settings, problems)]
  const urls = isRecording ? [] : named
  if (problems.length === 0 && write === true) {
    problems.push(...urls.filter((one) => !isSandbox(one)).map(notSandbox))
  }
  if (problems.length > 0) throw new ConfigError(problems)
  const token = chooseClientToken(settings)
  const tokens = [token, typeof secondToken === 'string' ? secondToken : token]
  return {
    targets: urls.map((one, index) => ({ url: one, token: tokens[index], timeoutMs })),
    ...(isRecording && { har }),
    ...(typeof url === 'string' && { base: baseOf(url) }),
    isWriting: write === true,
    ...(typeof provider === 'string' && { provider }),
    seed: typeof seed === 'string' ? seed : systemClock.now().toString(36)
  }
}

/** Finds flags and addresses that do not fit together. */
function checkFlags (flags: CommandInput['flags'], words: string[], timeoutMs: number): string[] {
  const { url, har, write, secondToken, timeout } = flags
  const isRecording = har !== undefined
  const usage = 'momock conform FIRST-URL SECOND-URL'
  const rows: Array<[isWrong: boolean, problem: string]> = [
    [
      timeoutMs < 1 || timeoutMs > longestMs,
      `--timeout must be more than 0 and at most 10m, got '${String(timeout)}'`
    ],
    [
      isRecording && (words.length > 0 || write !== undefined),
      '--har checks a recording and calls no server; remove --write and the addresses'
    ],
    [
      url !== undefined && words.length > 0,
      `'${words[0]}' is not expected with --url; two servers are compared with ${usage}`
    ],
    [words.length > 2, `'${words[2]}' is one address too many: ${usage}`],
    [
      words.length < 2 && secondToken !== undefined,
      `--second-token needs two servers: ${usage}; use --token for a single server`
    ]
  ]
  return [
    ...rows.flatMap(([isWrong, problem]) => (isWrong ? [problem] : [])),
    ...words
      .slice(0, 2)
      .filter((word) => !isBaseUrl(word))
      .map((word) => `the server must be an http or https URL without a query, got '${word}'`)
  ]
}

function isBaseUrl (text: string): boolean {
  return /^https?:\/\/[^\s/?#][^\s?#]*$/i.test(text) && URL.canParse(text)
}

function notSandbox (url: string): string {
  return (
    `--write makes payments, and ${showUrl(url)} does not look like a sandbox: ` +
    "its name has no 'sandbox' and it is not on a private network; remove --write"
  )
}
