import { isObject } from '../lib/json.ts'
import { isInitiation, showRequest, type LintEntry } from './journal-entry.ts'
import { each, type Rule } from './rule.ts'
import {
  findFastPolling,
  findIgnoredRejections,
  findNewIds,
  findRepeatedRefusals,
  findReusedIds
} from './sequences.ts'

/** Rules about how an application goes about it: signatures, repeats, polling, tokens. */

const isSignable = (entry: LintEntry): boolean =>
  isInitiation(entry) && !/Checkout/.test(entry.operation ?? '')

export const conductRules: readonly Rule[] = [
  {
    id: 'unsigned-request',
    severity: 'refused',
    title: 'initiations are signed where the account takes signed requests only',
    why: 'the answer is 401 HTTP_SIGNATURE_ERROR',
    find: each((entry, { signedRequestsOnly }) => {
      const isWanted =
        signedRequestsOnly || readFailureCode(entry.response.body) === 'HTTP_SIGNATURE_ERROR'
      return isSignable(entry) && isWanted && entry.request.headers.signature === undefined
        ? `${showRequest(entry)} has no signature`
        : undefined
    })
  },
  {
    id: 'bad-signature',
    severity: 'refused',
    title: 'signatures are good',
    why: 'the answer is 401 HTTP_SIGNATURE_ERROR; POST /__admin/signatures/explain says more',
    find: each((entry) =>
      entry.signature?.valid === false && entry.request.headers.signature !== undefined
        ? `${showRequest(entry)}: ${entry.signature.problems[0] ?? 'the signature is not good'}`
        : undefined
    )
  },
  {
    id: 'needless-signature',
    severity: 'warning',
    title: 'requests are signed only where the account takes signed requests only',
    why: 'signature headers must not be sent otherwise; nobody verifies them',
    find: each((entry, { signedRequestsOnly }) =>
      isSignable(entry) &&
      !signedRequestsOnly &&
      entry.signature === undefined &&
      entry.request.headers.signature !== undefined
        ? `${showRequest(entry)} has a signature that nobody looks at`
        : undefined
    )
  },
  {
    id: 'new-id-after-lost-answer',
    severity: 'warning',
    title: 'a request whose answer was lost is repeated with its identifier',
    why:
      'the first payment may exist: with a new identifier the customer may pay twice. ' +
      'Repeat the same request, or look its identifier up',
    find: findNewIds
  },
  {
    id: 'reused-id',
    severity: 'warning',
    title: 'an identifier stands for one payment',
    why: 'the second request is DUPLICATE_IGNORED: what it asks for never happens',
    find: findReusedIds
  },
  {
    id: 'rejected-ignored',
    severity: 'warning',
    title: 'a payment that was REJECTED is not followed up',
    why:
      'HTTP 200 with status REJECTED means that there is no payment: ' +
      'no callback comes, and it is not found',
    find: findIgnoredRejections
  },
  {
    id: 'repeated-refusal',
    severity: 'warning',
    title: 'a request that was refused is not repeated unchanged',
    why: 'HTTP 400 does not pass by itself: the request has to be corrected',
    find: findRepeatedRefusals
  },
  {
    id: 'polling-too-fast',
    severity: 'warning',
    title: 'status checks of a payment are at least a second apart',
    why:
      'a customer needs seconds to approve; ' +
      'wait for the callback, and check only when it does not come',
    find: findFastPolling
  },
  {
    id: 'token-in-url',
    severity: 'warning',
    title: 'tokens are sent in the Authorization header only',
    why: 'addresses end up in logs and in the history of browsers',
    find: each((entry) => {
      const [, name] = /[?&](token|access_token|api[-_]?key)=/i.exec(entry.request.url) ?? []
      return name === undefined ? undefined : `${showRequest(entry)} has \`${name}\` in its address`
    })
  },
  {
    id: 'browser-call',
    severity: 'warning',
    title: 'the API is called by servers',
    why: 'in a browser everybody can read the token',
    find: each((entry) => {
      // Not by Sec-Fetch-Mode: the fetch of Node sends that as well.
      const { origin, 'sec-fetch-site': site } = entry.request.headers
      return origin === undefined && site === undefined
        ? undefined
        : `${showRequest(entry)} was sent by a browser`
    })
  }
]

function readFailureCode (body: unknown): unknown {
  return isObject(body) && isObject(body.failureReason) ? body.failureReason.failureCode : undefined
}
