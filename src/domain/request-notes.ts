import { isObject } from '../lib/json.ts'
import { kinds } from './kinds.ts'

/**
 * Notes about requests that are accepted, although they probably do not mean what they say. The
 * journal and the linter show them, and the terminal shows those about metadata.
 */

/** What the notes are about. */
export const noteSubjects = ['metadata-names', 'return-url', 'refund-currency'] as const
export type NoteSubject = (typeof noteSubjects)[number]

export interface RequestNote {
  about: NoteSubject
  message: string
}

type Body = Record<string, unknown>

/** Returns the notes about the body of a request; for a list, those of all elements. */
export function noteRequest (method: string, path: string, body: unknown): RequestNote[] {
  if (method !== 'POST') return []
  return [body].flat().filter(isObject).flatMap((one) => [
    ...noteMetadata(path, one),
    ...noteReturnUrl(path, one),
    ...noteRefund(path, one)
  ])
}

/** Returns the notes about metadata: of several names in an entry of v2, only the last counts. */
export function noteMetadata (path: string, { metadata }: Body): RequestNote[] {
  if (!path.startsWith('/v2/') || !Array.isArray(metadata)) return []
  return metadata.filter(isObject).flatMap((entry, index) => {
    const names = listNames(entry)
    if (names.length < 2) return []
    const [first, ...others] = separateNames(entry)
    const right = JSON.stringify(others.length > 0 ? [first, ...others] : first)
    return [
      {
        about: 'metadata-names' as const,
        message:
          `metadata.${index} has ${names.length} names, and only the last one, ` +
          `'${names.at(-1)}', is kept; in v2, write ${right}`
      }
    ]
  })
}

/** Lists the names of an entry of metadata, which has a value for each. */
export function listNames (entry: Body): string[] {
  return Object.keys(entry).filter((name) => name !== 'isPII')
}

/** Writes each name of an entry as an entry of v2; an entry of v1 is one name. */
export function separateNames ({ isPII, ...named }: Body): Body[] {
  const { fieldName, fieldValue, ...others } = named
  const isOfV1 = typeof fieldName === 'string' && Object.keys(others).length === 0
  const pairs = isOfV1 ? [[fieldName, fieldValue] as const] : Object.entries(named)
  return pairs.map(([name, value]) => ({ [name]: value, ...(isPII !== undefined && { isPII }) }))
}

const pagePaths = ['/v2/paymentpage', '/v1/widget/sessions', '/v2/checkouts']

function noteReturnUrl (path: string, { returnUrl }: Body): RequestNote[] {
  if (!pagePaths.includes(path) || typeof returnUrl !== 'string') return []
  const url = URL.parse(returnUrl)
  if (url === null) return []
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (!isLocal && url.protocol === 'https:') return []
  return [
    {
      about: 'return-url',
      message: isLocal
        ? `returnUrl has the host ${url.hostname}, which is the customer's own device; ` +
          'the real service needs a public https address'
        : 'returnUrl is not https; the real service needs a public https address'
    }
  ]
}

function noteRefund (path: string, { refundId, currency }: Body): RequestNote[] {
  if (path !== `/v2/${kinds.refund.path}` || refundId === undefined) return []
  if (currency !== undefined && currency !== null) return []
  return [
    {
      about: 'refund-currency',
      message: 'the refund has no currency; send that of the deposit, as the real service may need'
    }
  ]
}
