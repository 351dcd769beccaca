import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import * as asn1js from 'asn1js'
import * as pkijs from 'pkijs'
import { addressBytes } from './addresses.ts'

/**
 * Certificates of the TLS listener: EC P-256 keys, signed with SHA-256. This file loads the
 * certificate library, so it is imported only when TLS is on.
 */

/** A certificate and its private key, both as PEM. */
export interface KeyedCertificate {
  cert: string
  key: string
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
const hash = 'SHA-256'
const day = 24 * 60 * 60_000
/** Lifetime of the certificate authority. */
const authorityDays = 3650
/** Lifetime of a server certificate: Apple's clients refuse more than 398 days. */
const serverDays = 397
/** Validity before the creation, for clients with a late clock. */
const earlyMs = day

/** Identifiers of the extensions (RFC 5280) and of the name part. */
const oids = {
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKeyIdentifier: '2.5.29.35',
  extKeyUsage: '2.5.29.37'
} as const
const serverAuth = '1.3.6.1.5.5.7.3.1'
/** Types of a general name. */
const nameTypes = { dns: 2, address: 7 } as const
/** First byte of the key usage bits. */
const usages = { signCertificates: 0b0000_0110, digitalSignature: 0b1000_0000 } as const

/** Creates a private key as PEM. */
export async function createKey (): Promise<string> {
  const { privateKey } = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey))
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString()
}

/**
 * Creates the certificate of an authority that can sign only the given names: name constraints make
 * a client refuse every other name, even if the key is stolen.
 */
export async function createAuthority (
  key: string,
  names: readonly string[],
  now: number
): Promise<string> {
  const pair = await importKeys(key)
  const certificate = newCertificate(now, now + authorityDays * day)
  await certificate.subjectPublicKeyInfo.importKey(pair.publicKey)
  // The name depends on the key, so that the authorities of two machines can be told apart.
  const id = Buffer.from(await hashPublicKey(certificate)).toString('hex', 0, 4)
  setSubject(certificate, `momock certificate authority ${id}`)
  certificate.issuer = certificate.subject
  certificate.extensions = [
    extension(
      oids.basicConstraints,
      new pkijs.BasicConstraints({ cA: true, pathLenConstraint: 0 }).toSchema(),
      true
    ),
    keyUsage(usages.signCertificates, 1),
    extension(oids.nameConstraints, limitNames(names).toSchema(), true),
    await subjectKeyIdentifier(certificate)
  ]
  return await signCertificate(certificate, pair.privateKey)
}

/** Creates a server certificate for names and addresses, signed by the authority. */
export async function createServerCertificate (
  authority: KeyedCertificate,
  names: readonly string[],
  now: number
): Promise<KeyedCertificate> {
  const issuer = parseCertificate(authority.cert)
  const end = Math.min(now + serverDays * day, issuer.notAfter.value.getTime())
  const certificate = newCertificate(now, end)
  setSubject(certificate, 'momock')
  const key = await createKey()
  await certificate.subjectPublicKeyInfo.importKey((await importKeys(key)).publicKey)
  certificate.issuer = issuer.subject
  certificate.extensions = [
    extension(oids.basicConstraints, new pkijs.BasicConstraints({ cA: false }).toSchema(), true),
    keyUsage(usages.digitalSignature, 7),
    extension(oids.extKeyUsage, new pkijs.ExtKeyUsage({ keyPurposes: [serverAuth] }).toSchema()),
    extension(oids.subjectAltName, listNames(names).toSchema()),
    await subjectKeyIdentifier(certificate),
    await authorityKeyIdentifier(issuer)
  ]
  const { privateKey } = await importKeys(authority.key)
  return { cert: await signCertificate(certificate, privateKey), key }
}

/** Returns the check whether an authority can sign a name. One without limits can sign all. */
export function readNameLimits (authority: string): (name: string) => boolean {
  const limits = parseCertificate(authority).extensions?.find(
    ({ extnID }) => extnID === oids.nameConstraints
  )?.parsedValue
  if (!(limits instanceof pkijs.NameConstraints)) return () => true
  const permitted = (limits.permittedSubtrees ?? []).map(({ base }) => nameKey(base))
  return (name) => {
    const key = nameKey(generalName(name, 'range'))
    return permitted.some((limit) => key === limit || key.endsWith(`.${limit}`))
  }
}

/** Text that two equal names have in common. */
function nameKey ({ type, value }: pkijs.GeneralName): string {
  return type === nameTypes.address
    ? Buffer.from(value.valueBlock.valueHexView).toString('hex')
    : String(value)
}

function newCertificate (now: number, end: number): pkijs.Certificate {
  const certificate = new pkijs.Certificate({ version: 2 })
  // The first bit stays 0: a serial number is positive.
  const serial = randomBytes(16)
  serial[0] &= 0x7f
  serial[0] |= 0x40
  certificate.serialNumber = new asn1js.Integer({ valueHex: toArrayBuffer(serial) })
  certificate.notBefore.value = new Date(now - earlyMs)
  certificate.notAfter.value = new Date(end)
  return certificate
}

function setSubject (certificate: pkijs.Certificate, commonName: string): void {
  const value = new asn1js.Utf8String({ value: commonName })
  certificate.subject.typesAndValues = [
    new pkijs.AttributeTypeAndValue({ type: oids.commonName, value })
  ]
}

async function signCertificate (
  certificate: pkijs.Certificate,
  key: webcrypto.CryptoKey
): Promise<string> {
  await certificate.sign(key, hash)
  return new X509Certificate(Buffer.from(certificate.toSchema(true).toBER())).toString()
}

/** Imports a private key as PEM, with its public key. */
async function importKeys (
  pem: string
): Promise<{ privateKey: webcrypto.CryptoKey; publicKey: webcrypto.CryptoKey }> {
  const key = createPrivateKey(pem)
  const { d: _, ...jwk } = key.export({ format: 'jwk' })
  const { subtle } = webcrypto
  return {
    privateKey: await subtle.importKey(
      'pkcs8',
      key.export({ format: 'der', type: 'pkcs8' }),
      algorithm,
      false,
      ['sign']
    ),
    publicKey: await subtle.importKey('jwk', jwk, algorithm, true, ['verify'])
  }
}

function parseCertificate (pem: string): pkijs.Certificate {
  return pkijs.Certificate.fromBER(new X509Certificate(pem).raw)
}

function extension (extnID: string, value: asn1js.BaseBlock, critical = false): pkijs.Extension {
  return new pkijs.Extension({ extnID, critical, extnValue: value.toBER() })
}

function keyUsage (bits: number, unusedBits: number): pkijs.Extension {
  const valueHex = toArrayBuffer(Buffer.from([bits]))
  return extension(oids.keyUsage, new asn1js.BitString({ valueHex, unusedBits }), true)
}

async function subjectKeyIdentifier (certificate: pkijs.Certificate): Promise<pkijs.Extension> {
  const valueHex = await hashPublicKey(certificate)
  return extension(oids.subjectKeyIdentifier, new asn1js.OctetString({ valueHex }))
}

async function authorityKeyIdentifier (issuer: pkijs.Certificate): Promise<pkijs.Extension> {
  const valueHex = await hashPublicKey(issuer)
  const keyIdentifier = new asn1js.OctetString({ valueHex })
  return extension(
    oids.authorityKeyIdentifier,
    new pkijs.AuthorityKeyIdentifier({ keyIdentifier }).toSchema()
  )
}

/** Identifier of a public key as RFC 5280 suggests it: SHA-1 only names the key. */
async function hashPublicKey (certificate: pkijs.Certificate): Promise<ArrayBuffer> {
  const { subjectPublicKey } = certificate.subjectPublicKeyInfo
  return await webcrypto.subtle.digest('SHA-1', subjectPublicKey.valueBlock.valueHexView)
}

function listNames (names: readonly string[]): pkijs.GeneralNames {
  return new pkijs.GeneralNames({ names: names.map((name) => generalName(name)) })
}

function limitNames (names: readonly string[]): pkijs.NameConstraints {
  return new pkijs.NameConstraints({
    permittedSubtrees: names.map(
      (name) => new pkijs.GeneralSubtree({ base: generalName(name, 'range') })
    )
  })
}

/** A name or an address. A range of addresses is an address and a mask, here of one address. */
function generalName (name: string, form: 'address' | 'range' = 'address'): pkijs.GeneralName {
  if (isIP(name) === 0) return new pkijs.GeneralName({ type: nameTypes.dns, value: name })
  const bytes = addressBytes(name)
  const mask = form === 'range' ? Buffer.alloc(bytes.length, 0xff) : Buffer.alloc(0)
  return new pkijs.GeneralName({
    type: nameTypes.address,
    value: new asn1js.OctetString({ valueHex: toArrayBuffer(Buffer.concat([bytes, mask])) })
  })
}

function toArrayBuffer (bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
