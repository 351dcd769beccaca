import { X509Certificate } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls'

/** Explanation of why the certificate of a callback receiver is refused. */

/** Reasons by the code of the error, and what to do. */
const reasons: Record<string, [reason: string, fix: string]> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ['it is self-signed', 'add it to callbacksCa'],
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority(),
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority(),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority(),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority(),
  CERT_UNTRUSTED: unknownAuthority(),
  CERT_SIGNATURE_FAILURE: ['its signature is wrong', 'use a certificate of the right authority'],
  CERT_HAS_EXPIRED: ['it has expired', 'renew it'],
  CERT_NOT_YET_VALID: ['it is not valid yet', 'check the clocks of both machines'],
  CERT_REVOKED: ['it was revoked', 'use another certificate'],
  INVALID_PURPOSE: ['it is not for servers', 'use a server certificate'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'it is for other names',
    'use a name of the certificate in the callback URL, or add this name to the certificate'
  ],
  // Node has no code for a name that its authority may not sign.
  UNSPECIFIED: ['its chain is not valid', 'check it with openssl verify']
}

/** Errors of a server that does not use TLS. */
const plainText = /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/

function unknownAuthority (): [string, string] {
  return [
    'it is signed by an authority that is not trusted',
    'set callbacksCa to a PEM file with the certificate of that authority'
  ]
}

/** Limits of the connection that reads a certificate. */
export interface ReadLimits {
  timeoutMs: number
  /** Ends it early. */
  stop?: AbortSignal
}

/**
 * Explains a failed TLS connection: certificate, name, reason and fix. Returns undefined for errors
 * of another kind.
 */
export async function explainTlsError (
  url: string,
  { code = '', message }: NodeJS.ErrnoException,
  lookup: LookupFunction,
  limits: ReadLimits
): Promise<string | undefined> {
  const target = new URL(url)
  if (target.protocol !== 'https:') return undefined
  if (plainText.test(code)) {
    return `${target.host} does not use TLS; correct the port, or use http:// in the callback URL`
  }
  const known = reasons[code]
  if (known === undefined) return undefined
  const [reason, fix] = known
  const certificate = await readCertificate(target, lookup, limits)
  const described = certificate === undefined ? '' : ` (${describeCertificate(certificate)})`
  // An error without a code of its own has only its text.
  const detail = code === 'UNSPECIFIED' ? ` (${message})` : ''
  return `the certificate of ${target.host}${described} is refused: ${reason}${detail}; ${fix}`
}

/**
 * Reads the certificate of a server. Node does not give it to a caller that refuses it, so this
 * connects again without verification. It sends nothing and closes the connection at once.
 */
async function readCertificate (
  { hostname, port }: URL,
  lookup: LookupFunction,
  { timeoutMs, stop }: ReadLimits
): Promise<DetailedPeerCertificate | undefined> {
  // A signal that was given before is not given again.
  if (stop?.aborted === true) return undefined
  const host = hostname.replace(/^\[|\]$/g, '')
  return await new Promise((resolve) => {
    const socket: TLSSocket = connect(
      {
        host,
        port: port === '' ? 443 : Number(port),
        lookup,
        rejectUnauthorized: false,
        timeout: timeoutMs,
        ...(/[a-z]/i.test(host) && !host.includes(':') && { servername: host })
      },
      () => {
        resolve(socket.getPeerCertificate(true))
        socket.destroy()
      }
    )
    const end = (): unknown => socket.destroy()
    stop?.addEventListener('abort', end)
    socket.once('close', () => stop?.removeEventListener('abort', end))
    socket.once('timeout', end)
    socket.once('error', () => resolve(undefined))
    socket.once('close', () => resolve(undefined))
  })
}

function describeCertificate ({ raw }: DetailedPeerCertificate): string {
  const { subject, issuer, subjectAltName, validTo } = new X509Certificate(raw)
  return [
    `subject ${oneLine(subject)}`,
    subjectAltName === undefined ? 'for no names' : `for ${subjectAltName}`,
    `signed by ${oneLine(issuer)}`,
    `valid until ${validTo}`
  ].join(', ')
}

/** Writes a name with several lines on one. */
function oneLine (name = 'nobody'): string {
  return name.replaceAll('\n', ' ')
}
