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
  const { url, compare, har, write, provider, seed, secondToken } = flags
  const [second = ''] = words
  const timeoutMs = parseDuration(String(flags.timeout)) ?? 0
  const problems = [
    ...checkReportFiles({ flags, folder }),
    ...checkFlags(flags, words, timeoutMs)
  ]
  const settings = await config()
  const isRecording = typeof har === 'string'
  const first = isRecording ? '' : findMockUrl(compare ?? url, settings, problems)
  const urls = isRecording ? [] : compare === undefined ? [first] : [first, baseOf(second)]
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

/** Finds flags that do not fit together. */
function checkFlags (flags: CommandInput['flags'], words: string[], timeoutMs: number): string[] {
  const { url, compare, har, write, secondToken, timeout } = flags
  const [isComparing, isRecording] = [compare !== undefined, har !== undefined]
  const both = 'momock conform --compare FIRST-URL SECOND-URL'
  const rows: Array<[isWrong: boolean, problem: string]> = [
    [
      timeoutMs < 1 || timeoutMs > longestMs,
      `--timeout must be more than 0 and at most 10m, got '${String(timeout)}'`
    ],
    [
      isRecording && (isComparing || write !== undefined),
      '--har checks a recording and calls no server; remove --compare and --write'
    ],
    [isComparing && url !== undefined, `--compare has both addresses: ${both}; remove --url`],
    [
      !isComparing && words.length > 0,
      `'${words[0]}' is not expected; a second server needs --compare: ${both}`
    ],
    [isComparing && words.length !== 1, `--compare needs two servers: ${both}`],
    [
      !isComparing && secondToken !== undefined,
      '--second-token needs --compare; use --token for a single server'
    ],
    [
      isComparing && words.length === 1 && !isBaseUrl(words[0]),
      `the second server must be an http or https URL without a query, got '${words[0]}'`
    ]
  ]
  return rows.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []))
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
