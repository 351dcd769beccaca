import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { SystemClock } from '../../src/lib/clock.ts'
import type { Account } from '../../src/domain/account.ts'
import { Refused } from '../../src/domain/refusal.ts'
import { explainSignature } from '../../src/security/explanation.ts'
import { verifyingKeys, type Keys } from '../../src/security/keys.ts'
import { chooseAlgorithm } from '../../src/security/algorithms.ts'
import { chooseDigest } from '../../src/security/digest.ts'
import { isEncrypted } from './host-name.ts'
import { signResponse } from '../../src/security/signature.ts'

/** Content type of answers. */
const contentType = 'application/json; charset=utf-8'

/** Longest reason in an answer, in characters: a reason may quote the request. */
const longestReason = 400

const none: never[] = []

/**
 * Prepares the check of a request's signature, which runs when the body has arrived. The answer to
 * a well signed request is signed, too.
 */
export function checkSignature (
  request: FastifyRequest,
  account: Account,
  keys: Keys,
  systemClock: SystemClock,
  log: Logger
): void {
  const {
    publicKeys = none,
    signatureEncoding = 'der',
    acceptedSignatureEncoding = 'both'
  } = account.settings
  request.verifySignature = (body) => {
    request.verifySignature = undefined
    const explanation = explainSignature(messageOf(request), body, {
      keys: verifyingKeys(publicKeys),
      now: systemClock.now(),
      encoding: acceptedSignatureEncoding
    })
    request.explanation = explanation
    if (explanation.valid) {
      const { 'accept-signature': algorithms, 'accept-digest': digests } = request.headers
      const algorithm = chooseAlgorithm(joinValues(algorithms))
      const digest = chooseDigest(joinValues(digests))
      request.signResponse = async (status, text) =>
        signResponse(status, contentType, text, {
          key: await keys.findKey(algorithm),
          now: systemClock.now(),
          encoding: signatureEncoding,
          algorithm,
          digest
        })
      return
    }
    const {
      problems: [problem, more],
      hints: [hint]
    } = explanation
    const reason = more === undefined && hint !== undefined ? `${problem} (${hint})` : problem
    log.warn(
      {
        account: account.name,
        method: request.method,
        url: request.url,
        ...explanation
      },
      'signature refused'
    )
    request.refusal = new Refused(
      'SIGNATURE_INVALID',
      `the signature is refused: ${reason.slice(0, longestReason)}; the journal and the log ` +
        'say all about it'
    )
  }
}

function messageOf (request: FastifyRequest): Parameters<typeof explainSignature>[0] {
  const { method, headers, raw } = request
  // Behind a proxy, the client signed the scheme that it used to reach the proxy.
  const isHttps = isEncrypted(request) || headers['x-forwarded-proto'] === 'https'
  return {
    method,
    scheme: isHttps ? 'https' : 'http',
    authority: headers.host,
    target: raw.url,
    headers
  }
}

function joinValues (header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join() : header
}
