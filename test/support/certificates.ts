import {
  createAuthority,
  createKey,
  createServerCertificate,
  type KeyedCertificate
} from '../../src/tls/certificates.ts'

/** Authorities and certificates of the tests. */

/** Creates an authority that can sign the names. */
export async function authorityFor (
  names: readonly string[],
  now = Date.now()
): Promise<KeyedCertificate> {
  const key = await createKey()
  return { key, cert: await createAuthority(key, names, now) }
}

/** Creates a certificate for the names, and its authority. */
export async function certificateFor (
  names: readonly string[],
  now = Date.now()
): Promise<{ server: KeyedCertificate; authority: string }> {
  const authority = await authorityFor(names, now)
  return {
    server: await createServerCertificate(authority, names, now),
    authority: authority.cert
  }
}
