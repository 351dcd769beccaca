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

/** Rules about the behaviour of an application: signatures, repeats, polling, tokens. */

const isSignable = (entry: LintEntry): boolean =>
  isInitiation(entry) && !/Checkout/.test(entry.operation ?? '')

export const conductRules: readonly Rule[] = [
  {
    id: 'unsigned-request',
    severity: 'refused',
    title: 'initiations are signed if the account accepts only signed requests',
    why: 'the answer is 401 HTTP_SIGNATURE_ERROR',
    advice:
      'add the headers Content-Digest, Signature-Date, Signature-Input and Signature; ' +
      'POST /__admin/signatures/explain checks them',
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
    title: 'signatures are valid',
    why:
      'the answer is 401 HTTP_SIGNATURE_ERROR; ' +
      'POST /__admin/signatures/explain shows the reason',
    advice: 'sign it again with a key of the account',
    find: each((entry) =>
      entry.signature?.valid === false && entry.request.headers.signature !== undefined
        ? `${showRequest(entry)}: ${entry.signature.problems[0] ?? 'the signature is not valid'}`
        : undefined
    )
  },
  {
    id: 'needless-signature',
    severity: 'warning',
    title: 'requests are signed only if the account accepts only signed requests',
    why: 'other accounts must not send signature headers; they are not verified',
    advice: 'leave out Content-Digest, Signature-Date, Signature-Input and Signature',
    find: each((entry, { signedRequestsOnly }) =>
      isSignable(entry) &&
      !signedRequestsOnly &&
      entry.signature === undefined &&
      entry.request.headers.signature !== undefined
        ? `${showRequest(entry)} has a signature that is not verified`
        : undefined
    )
  },
  {
    id: 'new-id-after-lost-answer',
    severity: 'warning',
    title: 'a request with a lost answer is repeated with the same identifier',
    why:
      'the first payment can exist, so a new identifier can make the customer pay twice; ' +
      'repeat the same request, or check the status of its identifier',
    find: findNewIds
  },
  {
    id: 'reused-id',
    severity: 'warning',
    title: 'each payment has its own identifier',
    why: 'the second request is DUPLICATE_IGNORED: it makes no payment',
    advice: 'use a new identifier, unless it is the same payment',
    find: findReusedIds
  },
  {
    id: 'rejected-ignored',
    severity: 'warning',
    title: 'a REJECTED payment is not followed up',
    why:
      'HTTP 200 with status REJECTED means that there is no payment: ' +
      'no callback is sent, and a status check does not find it',
    advice: 'do not send it; correct the rejected request and send that one again',
    find: findIgnoredRejections
  },
  {
    id: 'repeated-refusal',
    severity: 'warning',
    title: 'a refused request is not repeated without changes',
    why: 'HTTP 400 means that the request is wrong: correct it first',
    advice: 'correct it before you send it again',
    find: findRepeatedRefusals
  },
  {
    id: 'polling-too-fast',
    severity: 'warning',
    title: 'status checks of a payment are at least one second apart',
    why:
      'a customer needs seconds to approve; ' +
      'wait for the callback, and check the status only if it does not arrive',
    advice: 'send it at most once per second, and only if the callback does not arrive',
    find: findFastPolling
  },
  {
    id: 'token-in-url',
    severity: 'warning',
    title: 'tokens are sent in the Authorization header only',
    why: 'URLs are stored in logs and in the history of browsers',
    advice: 'send the token in the header Authorization: Bearer TOKEN',
    find: each((entry) => {
      const [, name] = /[?&](token|access_token|api[-_]?key)=/i.exec(entry.request.url) ?? []
      return name === undefined ? undefined : `${showRequest(entry)} has \`${name}\` in its URL`
    })
  },
  {
    id: 'browser-call',
    severity: 'warning',
    title: 'only servers call the API',
    why: 'everyone can read a token in a browser',
    advice: 'send it from your server',
    find: each((entry) => {
      // Sec-Fetch-Mode is not used: the fetch of Node sends it too.
      const { origin, 'sec-fetch-site': site } = entry.request.headers
      return origin === undefined && site === undefined
        ? undefined
        : `${showRequest(entry)} was sent from a browser`
    })
  }
]

function readFailureCode (body: unknown): unknown {
  return isObject(body) && isObject(body.failureReason) ? body.failureReason.failureCode : undefined
}
