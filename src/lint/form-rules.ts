import { isObject } from '../lib/json.ts'
import { noteRequest, type NoteSubject } from '../domain/request-notes.ts'
import { explainProvider } from '../domain/similar-provider.ts'
import { isOfV2 } from './equivalent.ts'
import {
  listBodies,
  listFields,
  isInitiation,
  isMetadata,
  isPhoneNumber,
  showRequest,
  type Field,
  type LintEntry,
  type LintFacts
} from './journal-entry.ts'
import { findKindByPath } from './kind-lookup.ts'
import { each, type Rule } from './rule.ts'
import { listKnownFields } from './v1-reader.ts'

/** Rules about the form of a request. v2 refuses a request that breaks one. */

const quoted = (names: Iterable<string>): string =>
  [...new Set(names)].map((name) => `\`${name}\``).join(', ')

export const formRules: readonly Rule[] = [
  {
    id: 'v1-path',
    severity: 'refused',
    title: 'requests use v2 paths',
    why: 'v2 has other paths and other bodies',
    find: each((entry) =>
      entry.version === 'v1' ? `${showRequest(entry)} is a v1 operation` : undefined
    )
  },
  {
    id: 'v1-body',
    severity: 'refused',
    title: 'requests to v2 have v2 bodies',
    why: 'v2 answers 400 to v1 fields',
    find: each((entry) => {
      const found = entry.request.path.startsWith('/v2/') ? findV1Fields(entry) : []
      if (found.length === 0) return undefined
      return `${showRequest(entry)} has v1 fields: ${quoted(found)}`
    })
  },
  {
    id: 'v2-body',
    severity: 'refused',
    title: 'requests with v2 bodies use v2 paths',
    why: 'v1 has no such fields; add the prefix /v2 to the path',
    find: each((entry) =>
      entry.version === 'v1' && listBodies(entry).some(isOfV2)
        ? `${showRequest(entry)} has a v2 body`
        : undefined
    )
  },
  {
    id: 'unknown-path',
    severity: 'refused',
    title: 'paths and methods exist',
    why: 'the answer is 404, or 405 if only the method is wrong',
    find: each((entry) =>
      entry.operation === undefined ? `${showRequest(entry)} does not exist` : undefined
    )
  },
  {
    id: 'ignored-field',
    severity: 'refused',
    title: 'requests have only known fields',
    why: 'v1 ignores them, v2 answers 400 UNSUPPORTED_PARAMETER',
    find: each((entry) => {
      const kind = findKindByPath(entry.request.path)
      if (entry.version !== 'v1' || kind === undefined || !isInitiation(entry)) return undefined
      const known = listKnownFields(kind)
      const unknown = listBodies(entry)
        .filter((body) => !isOfV2(body))
        .flatMap((body) => Object.keys(body).filter((name) => !known.includes(name)))
      return unknown.length === 0
        ? undefined
        : `${showRequest(entry)} has unknown fields: ${quoted(unknown)}`
    })
  },
  {
    id: 'number-amount',
    severity: 'refused',
    title: 'amounts are strings',
    why: 'v1 accepts numbers, v2 answers 400 INVALID_PARAMETER; ' + 'numbers can also lose digits',
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
    find: each((entry, { providers }) => {
      const codes = listApiFields(entry)
        .filter(({ name }) => name === 'provider' || name === 'correspondent')
        .map(({ value }) => value)
      const unknown = codes.find(
        (code) => typeof code === 'string' && code !== '' && !providers.includes(code)
      )
      if (typeof unknown !== 'string') return undefined
      return `\`${unknown.slice(0, 60)}\`: ${explainProvider(unknown, providers)}`
    })
  },
  {
    id: 'phone-format',
    severity: 'refused',
    title: 'phone numbers are digits with the country code',
    why:
      'a plus, spaces or dashes give INVALID_PHONE_NUMBER; ' +
      'predict-provider returns the number in the right form',
    find: each((entry) => {
      const numbers = isInitiation(entry)
        ? listApiFields(entry).filter(({ path }) => isPhoneNumber(path))
        : []
      const wrong = numbers.filter(({ value }) => typeof value === 'string' && /\D/.test(value))
      return wrong.length === 0
        ? undefined
        : `${showRequest(entry)} has other characters than digits in ` +
            quoted(wrong.map(({ path }) => path))
    })
  },
  {
    id: 'large-bulk',
    severity: 'refused',
    title: 'a list has at most 20 payments',
    why: 'a longer list can be refused',
    advice: 'send several lists of at most 20 payments',
    find: each((entry) => {
      const { body } = entry.request
      return Array.isArray(body) && body.length > 20
        ? `${showRequest(entry)} has ${body.length} payments`
        : undefined
    })
  },
  {
    id: 'missing-token',
    severity: 'refused',
    title: 'every request has a token',
    why: 'v2 answers 401; v1 needs no token for availability and public keys',
    advice: 'add the header Authorization: Bearer TOKEN',
    find: each((entry) =>
      entry.operation !== undefined && entry.request.headers.authorization === undefined
        ? `${showRequest(entry)} has no Authorization header`
        : undefined
    )
  },
  {
    id: 'amount-decimals',
    severity: 'refused',
    title: 'amounts have no decimals where the provider takes none',
    why: '100.00 is rejected with INVALID_AMOUNT, as 100.50 is; send 100',
    find: each((entry, facts) => {
      const amount = listBodies(entry)
        .flatMap((body) => listWholeAmounts(body, facts))
        .map(String)
        .find((text) => /[.]0+$/.test(text))
      return amount && `${showRequest(entry)} has decimals in amount ${amount.slice(0, 30)}`
    })
  },
  {
    id: 'metadata-names',
    severity: 'warning',
    title: 'each metadata entry has one name',
    why: 'v2 keeps only the last name of an entry',
    find: findNotes('metadata-names')
  },
  {
    id: 'return-url',
    severity: 'warning',
    title: 'returnUrl is a public https address',
    why: "localhost is the customer's own device, and http is not safe",
    advice: 'send the public https address of your shop',
    find: findNotes('return-url')
  },
  {
    id: 'refund-currency',
    severity: 'warning',
    title: 'refunds have a currency',
    why: 'the public documentation lists it among the fields of a refund',
    advice: 'send the currency of the deposit',
    find: findNotes('refund-currency')
  }
]

/** Lists the amounts of a payment, a payment page or a checkout that can have no decimals. */
function listWholeAmounts (body: Record<string, unknown>, facts: LintFacts): unknown[] {
  const { amount, currency, country, amountDetails, amounts } = body
  const providers = listFields(body).filter(({ name }) => /^(provider|correspondent)$/.test(name))
  const isWhole = providers.some(({ value }) =>
    facts.wholeAmounts.includes(`${String(value)} ${String(currency)}`)
  )
  const prices = [amountDetails, amounts]
    .flat()
    .filter(isObject)
    .map((price) => ({ country, ...price }) as Record<string, unknown>)
    .filter((price) =>
      facts.wholePrices.includes(`${String(price.country)} ${String(price.currency)}`)
    )
  return [...(isWhole ? [amount] : []), ...prices.map((price) => price.amount)]
}

/** Finds the requests with notes about a subject. */
function findNotes (about: NoteSubject): Rule['find'] {
  return each((entry) => {
    const { method, path, body } = entry.request
    const note = noteRequest(method, path, body).find((one) => one.about === about)
    return note && `${showRequest(entry)}: ${note.message}`
  })
}

/** Lists the fields of a request, without metadata: the merchant chooses those names. */
function listApiFields ({ request: { body } }: LintEntry): Field[] {
  return listFields(body).filter(({ path }) => !isMetadata(path))
}

const v1Names = new Set(['correspondent', 'statementDescription', 'customerTimestamp', 'msisdn'])

/** Finds the fields of a request that only v1 has. */
function findV1Fields (entry: LintEntry): string[] {
  const isOfV1 = ({ path, name, value }: Field): boolean =>
    v1Names.has(name) ||
    /(^|\.)(payer|recipient)\.address$/.test(path) ||
    (name === 'type' && value === 'MSISDN')
  return listApiFields(entry)
    .filter(isOfV1)
    .map(({ path }) => path)
}
