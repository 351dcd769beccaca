import { isObject } from '../lib/json.ts'

/** A request of the journal and its answer, as far as the rules look at it. */
export interface LintEntry {
  id: number
  request: {
    method: string
    url: string
    path: string
    headers: Record<string, unknown>
    query?: Record<string, unknown>
    body?: unknown
    /** When it came, in milliseconds of the machine: the clock of an account may stand still. */
    loggedDate: number
  }
  response: { status: number; body?: unknown; fault?: string }
  generation?: string
  operation?: string
  payments: Array<{ kind: string; id: string }>
  signature?: { valid: boolean; problems: string[] }
}

/** What is known of the account that the requests were made for. */
export interface LintFacts {
  /** Codes of every provider there is. */
  providers: readonly string[]
  /** Currencies of each country. */
  currencies: Readonly<Record<string, readonly string[]>>
  /** Must initiations be signed? */
  signedRequestsOnly: boolean
}

/** A run to be looked at: the requests, oldest first. */
export interface LintRun {
  entries: readonly LintEntry[]
  facts: LintFacts
}

type Json = Record<string, unknown>

/** The bodies of the payments that a request asks for: the elements of a list, or the one body. */
export function listBodies ({ request: { body } }: LintEntry): Json[] {
  return [body].flat().filter(isObject)
}

export interface Field {
  /** Where it stands: `payer.address`. */
  path: string
  name: string
  value: unknown
}

/** Requests are less deep than this; what is sent by mistake may be deeper. */
const deepest = 20

/** Every field in a value, those inside of others too. */
export function listFields (value: unknown, path = '', depth = deepest): Field[] {
  if (depth === 0) return []
  if (Array.isArray(value)) return value.flatMap((item) => listFields(item, path, depth - 1))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const own = path === '' ? name : `${path}.${name}`
    return [{ path: own, name, value: inner }, ...listFields(inner, own, depth - 1)]
  })
}

/** The same value with every plain field changed. */
export function changeFields (
  value: unknown,
  change: (field: Field) => unknown,
  path = ''
): unknown {
  if (Array.isArray(value)) return value.map((item) => changeFields(item, change, path))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const own = path === '' ? name : `${path}.${name}`
      const isPlain = typeof inner !== 'object' || inner === null
      return [
        name,
        isPlain ? change({ path: own, name, value: inner }) : changeFields(inner, change, own)
      ]
    })
  )
}

/** A request in short: its method, and its path with the word `{id}` for every identifier. */
export function showRequest ({ request: { method, path } }: LintEntry): string {
  return `${method} ${maskIds(path)}`
}

function maskIds (path: string): string {
  return path.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '{id}')
}

/** Does it ask for payments? */
export function isInitiation ({ operation = '' }: LintEntry): boolean {
  return /^v[12]Initiate/.test(operation)
}

/** Is this inside of metadata, where names are the merchant's own? */
export function isMetadata (path: string): boolean {
  return path.startsWith('metadata.')
}

/** Does the number of a customer stand there, in either generation? */
export function isPhoneNumber (path: string): boolean {
  return /(^|\.)(accountDetails\.phoneNumber|address\.value)$/.test(path)
}
