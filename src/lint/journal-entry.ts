import { isObject } from '../lib/json.ts'

/** Request of the journal and its answer, with the fields that the rules use. */
export interface LintEntry {
  id: number
  request: {
    method: string
    url: string
    path: string
    headers: Record<string, unknown>
    query?: Record<string, unknown>
    body?: unknown
    /** Arrival in milliseconds of the system clock. The clock of an account can be frozen. */
    loggedDate: number
  }
  response: { status: number; body?: unknown; fault?: string }
  version?: string
  operation?: string
  payments: Array<{ kind: string; id: string }>
  signature?: { valid: boolean; problems: string[] }
}

/** Facts about the account of the requests. */
export interface LintFacts {
  /** Codes of all providers. */
  providers: readonly string[]
  /** Currencies of each country. */
  currencies: Readonly<Record<string, readonly string[]>>
  /** Providers and currencies without decimals, as `MTN_MOMO_RWA RWF`. */
  wholeAmounts: readonly string[]
  /** Countries and currencies in which no provider takes decimals, as `RWA RWF`. */
  wholePrices: readonly string[]
  /** Whether initiations must be signed. */
  signedRequestsOnly: boolean
}

/** Run of an application: its requests, oldest first. */
export interface LintRun {
  entries: readonly LintEntry[]
  facts: LintFacts
}

type Json = Record<string, unknown>

/** Lists the payment bodies of a request: the elements of a list, or the single body. */
export function listBodies ({ request: { body } }: LintEntry): Json[] {
  return [body].flat().filter(isObject)
}

/** Field of a body. */
export interface Field {
  /** Path, such as `payer.address`. */
  path: string
  name: string
  value: unknown
}

/** Depth limit. Documented requests are not as deep. */
const deepest = 20

/** Lists all fields of a value, at any depth. */
export function listFields (value: unknown, path = '', depth = deepest): Field[] {
  if (depth === 0) return []
  if (Array.isArray(value)) return value.flatMap((item) => listFields(item, path, depth - 1))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const own = path === '' ? name : `${path}.${name}`
    return [{ path: own, name, value: inner }, ...listFields(inner, own, depth - 1)]
  })
}

/** Changes all plain fields of a value. */
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

/** Returns the method and the path of a request, with `{id}` for each identifier. */
export function showRequest ({ request: { method, path } }: LintEntry): string {
  return `${method} ${maskIds(path)}`
}

function maskIds (path: string): string {
  return path.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '{id}')
}

/** Returns true for a request that initiates payments. */
export function isInitiation ({ operation = '' }: LintEntry): boolean {
  return /^v[12]Initiate/.test(operation)
}

/** Returns true for a path in metadata, where the merchant chooses the names. */
export function isMetadata (path: string): boolean {
  return path.startsWith('metadata.')
}

/** Returns true for the path of a customer's phone number in v1 or v2. */
export function isPhoneNumber (path: string): boolean {
  return /(^|\.)(accountDetails\.phoneNumber|address\.value)$/.test(path)
}
