import { isObject } from '../lib/json.ts'
import { findNearest } from '../lib/validator.ts'
import { isOfV2 } from './equivalent.ts'
import {
  listBodies,
  listFields,
  isInitiation,
  isMetadata,
  isPhoneNumber,
  showRequest,
  type Field,
  type LintEntry
} from './journal-entry.ts'
import { findKindByPath } from './kind-lookup.ts'
import { each, type Rule } from './rule.ts'
import { listKnownFields } from './v1-reader.ts'

/** Rules about the form of a request: what v2 refuses. */

const quoted = (names: Iterable<string>): string =>
  [...new Set(names)].map((name) => `\`${name}\``).join(', ')

export const formRules: readonly Rule[] = [
  {
    id: 'v1-path',
    severity: 'refused',
    title: 'requests go to paths of v2',
    why: 'v1 is the earlier generation; v2 has other paths and other bodies',
    hasEquivalent: true,
    find: each((entry) =>
      entry.generation === 'v1' ? `${showRequest(entry)} is an operation of v1` : undefined
    )
  },
  {
    id: 'v1-body',
    severity: 'refused',
    title: 'requests to v2 have bodies of v2',
    why: 'v2 answers 400 to the fields of v1',
    hasEquivalent: true,
    find: each((entry) => {
      const found = entry.request.path.startsWith('/v2/') ? findV1Fields(entry) : []
      if (found.length === 0) return undefined
      return `${showRequest(entry)} has fields of v1: ${quoted(found)}`
    })
  },
  {
    id: 'v2-body',
    severity: 'refused',
    title: 'requests in the form of v2 go to v2',
    why: 'v1 does not know the fields of v2; the prefix /v2 is missing from the path',
    hasEquivalent: true,
    find: each((entry) =>
      entry.generation === 'v1' && listBodies(entry).some(isOfV2)
        ? `${showRequest(entry)} has a body of v2`
        : undefined
    )
  },
  {
    id: 'unknown-path',
    severity: 'refused',
    title: 'requests go to paths that exist',
    why: 'the answer is 404, or 405 where only the method is wrong',
    hasEquivalent: true,
    find: each((entry) =>
      entry.operation === undefined ? `${showRequest(entry)} does not exist` : undefined
    )
  },
  {
    id: 'ignored-field',
    severity: 'refused',
    title: 'requests have no fields that are not known',
    why: 'v1 ignores them, v2 answers 400 UNSUPPORTED_PARAMETER',
    find: each((entry) => {
      const kind = findKindByPath(entry.request.path)
      if (entry.generation !== 'v1' || kind === undefined || !isInitiation(entry)) return undefined
      const known = listKnownFields(kind)
      const unknown = listBodies(entry)
        .filter((body) => !isOfV2(body))
        .flatMap((body) => Object.keys(body).filter((name) => !known.includes(name)))
      return unknown.length === 0
        ? undefined
        : `${showRequest(entry)} has fields that are not known: ${quoted(unknown)}`
    })
  },
  {
    id: 'number-amount',
    severity: 'refused',
    title: 'amounts are strings',
    why:
      'v1 takes numbers, v2 answers 400 INVALID_PARAMETER; ' +
      'a number may also lose digits on its way',
    hasEquivalent: true,
    find: each((entry) => {
      const found = listApiFields(entry).filter(
        ({ name, value }) => name === 'amount' && typeof value === 'number'
      )
      return found.length === 0
        ? undefined
        : `${showRequest(entry)} has a number as ${quoted(found.map(({ path }) => path))}`
    })
  },
  {
    id: 'unknown-provider',
    severity: 'refused',
    title: 'provider codes exist',
    why:
      'v2 answers 400 INVALID_PARAMETER, v1 rejects with INVALID_CORRESPONDENT; ' +
      'the active configuration lists the codes',
    hasEquivalent: true,
    find: each((entry, { providers }) => {
      const codes = listApiFields(entry)
        .filter(({ name }) => name === 'provider' || name === 'correspondent')
        .map(({ value }) => value)
      const unknown = codes.find(
        (code) => typeof code === 'string' && code !== '' && !providers.includes(code)
      )
      if (typeof unknown !== 'string') return undefined
      const near = findNearest(unknown, providers)
      const advice = near === undefined ? '' : `; did you mean \`${near}\`?`
      return `\`${unknown.slice(0, 60)}\` is not a provider code${advice}`
    })
  },
  {
    id: 'phone-format',
    severity: 'refused',
    title: 'phone numbers are digits with the country code',
    why:
      'a number with a plus, blanks or dashes is INVALID_PHONE_NUMBER; ' +
      'predict-provider cleans it',
    hasEquivalent: true,
    find: each((entry) => {
      const numbers = isInitiation(entry)
        ? listApiFields(entry).filter(({ path }) => isPhoneNumber(path))
        : []
      const wrong = numbers.filter(({ value }) => typeof value === 'string' && /\D/.test(value))
      return wrong.length === 0
        ? undefined
        : `${showRequest(entry)} has more than digits in ${quoted(wrong.map(({ path }) => path))}`
    })
  },
  {
    id: 'large-bulk',
    severity: 'refused',
    title: 'a list has at most 20 payments',
    why: 'more of them may be refused as a whole',
    find: each((entry) => {
      const { body } = entry.request
      return Array.isArray(body) && body.length > 20
        ? `${showRequest(entry)} has ${body.length} elements`
        : undefined
    })
  },
  {
    id: 'missing-token',
    severity: 'refused',
    title: 'every request carries a token',
    why: 'v1 answers availability and public keys without one, v2 answers 401',
    hasEquivalent: true,
    find: each((entry) =>
      entry.operation !== undefined && entry.request.headers.authorization === undefined
        ? `${showRequest(entry)} has no Authorization header`
        : undefined
    )
  }
]

/** The fields of a request that the API gives names to: those of metadata are the merchant's. */
function listApiFields ({ request: { body } }: LintEntry): Field[] {
  return listFields(body).filter(({ path }) => !isMetadata(path))
}

const v1Names = new Set(['correspondent', 'statementDescription', 'customerTimestamp', 'msisdn'])

/** The fields of a request that only v1 has. */
function findV1Fields (entry: LintEntry): string[] {
  const isOfV1 = ({ path, name, value }: Field): boolean =>
    v1Names.has(name) ||
    /(^|\.)(payer|recipient)\.address$/.test(path) ||
    (name === 'type' && value === 'MSISDN')
  const entries = listBodies(entry).flatMap(({ metadata }) => [metadata].flat())
  const hasNames = entries.some((one) => isObject(one) && 'fieldName' in one && 'fieldValue' in one)
  const metadata = hasNames ? ['metadata.fieldName', 'metadata.fieldValue'] : []
  return [
    ...listApiFields(entry)
      .filter(isOfV1)
      .map(({ path }) => path),
    ...metadata
  ]
}
