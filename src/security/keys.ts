import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  hash,
  type KeyObject
} from 'node:crypto'
import { promisify } from 'node:util'
import type { KeyRecord, KeyStore } from '../ports/stores.ts'
import { loadLazily, type Lazy } from '../lib/lazy.ts'
import { algorithmNames, algorithmsFor, type AlgorithmName } from './algorithms.ts'

/**
 * Key that signs. The key object is created once, because reading a PEM takes ten times as long as
 * signing.
 */
export interface SigningKey {
  id: string
  privateKey: KeyObject
}

/** Public key as the API shows it: PEM, SPKI. */
export interface PublishedKey {
  id: string
  key: string
}

/** Public key of a merchant. */
export interface VerifyingKey {
  id: string
  key: KeyObject
}

const curve = 'prime256v1'
const name = 'HTTP_EC_P256_KEY'

/** Names of the keys for algorithms that a client can ask for. */
const otherNames: Partial<Record<AlgorithmName, string>> = {
  'ecdsa-p384-sha384': 'HTTP_EC_P384_KEY',
  'rsa-pss-sha512': 'HTTP_RSA_PSS_KEY',
  'rsa-v1_5-sha256': 'HTTP_RSA_V1_5_KEY'
}
const rsaBits = 2048

/** Key pairs of the server, for all accounts. The first one signs; the others still verify. */
export class Keys {
  readonly #store: KeyStore
  #signing: SigningKey[] = []
  #published: PublishedKey[] = []
  /** Key that signs. It is found once: the type of a key takes long to read. */
  #current: SigningKey | undefined
  #wrongKey: KeyObject | undefined
  readonly #others: Map<AlgorithmName, Lazy<SigningKey>>

  private constructor (store: KeyStore, records: readonly KeyRecord[]) {
    this.#store = store
    const keys = records.map(read)
    const isOther = (key: SigningKey): boolean => !isDefault(key)
    this.#setKeys([...keys.filter(isDefault), ...keys.filter(isOther)])
    this.#others = new Map(
      algorithmNames.map((algorithm) => [
        algorithm,
        loadLazily(() => this.#openKey(algorithm, otherNames[algorithm]))
      ])
    )
  }

  /**
   * Opens the configured keys in their order, then those of the ledger, newest first. Creates a key
   * if there is none.
   */
  static async open (store: KeyStore, configured: readonly KeyRecord[]): Promise<Keys> {
    const kept = (await store.listKeys()).filter(
      ({ id }) => !configured.some((key) => key.id === id)
    )
    const keys = new Keys(store, [...configured, ...kept])
    if (keys.#current === undefined) await keys.#storeKey(`${name}:1`, generate())
    return keys
  }

  /** Stores a new key. If another server was faster, its key is adopted instead. */
  async #storeKey (id: string, privateKey: string): Promise<boolean> {
    const isStored = await this.#store.addKey({ id, privateKey })
    this.#adoptKeys(isStored ? [{ id, privateKey }] : await this.#store.listKeys())
    return isStored
  }

  /** Reads the keys of the ledger again: another server may have created some. */
  async refresh (): Promise<void> {
    this.#adoptKeys(await this.#store.listKeys())
  }

  /** Adopts the keys of the ledger that are not known yet. They come newest first. */
  #adoptKeys (records: readonly KeyRecord[]): void {
    const added = records.filter(({ id }) => !this.#signing.some((key) => key.id === id)).map(read)
    if (added.length === 0) return
    const isOther = (key: SigningKey): boolean => !isDefault(key)
    this.#setKeys([...added.filter(isDefault), ...this.#signing, ...added.filter(isOther)])
  }

  /** Key that signs. */
  get signing (): SigningKey {
    if (this.#current === undefined) throw new Error('there is no key to sign with')
    return this.#current
  }

  /** Returns the key of an algorithm. Its first use creates, stores and publishes it. */
  async findKey (algorithm: AlgorithmName): Promise<SigningKey> {
    return (await this.#others.get(algorithm)?.()) ?? this.signing
  }

  async #openKey (algorithm: AlgorithmName, prefix: string | undefined): Promise<SigningKey> {
    if (prefix === undefined) return this.signing
    const known = this.#signing.find(({ id }) => id.startsWith(`${prefix}:`))
    if (known !== undefined) return known
    const id = `${prefix}:1`
    await this.#storeKey(id, await generateFor(algorithm))
    return this.#signing.find((key) => key.id === id) ?? this.signing
  }

  #setKeys (keys: SigningKey[]): void {
    this.#signing = keys
    this.#published = keys.map(publishKey)
    this.#current = keys.find(isDefault)
  }

  /** Key with the name of the signing key that is not ours: its signatures must be refused. */
  get wrongKey (): SigningKey {
    this.#wrongKey ??= createPrivateKey(generate())
    return { id: this.signing.id, privateKey: this.#wrongKey }
  }

  /** Secret of the server. It changes only with the keys. */
  get secret (): string {
    return hash('sha256', this.#oldest.privateKey.export({ type: 'pkcs8', format: 'der' }), 'hex')
  }

  get #oldest (): SigningKey {
    return this.#signing.findLast(isDefault) ?? this.signing
  }

  /** All keys, the signing key first. */
  get published (): readonly PublishedKey[] {
    return this.#published
  }

  /** Creates a key that signs from now on. */
  async rotate (): Promise<void> {
    let isStored = false
    while (!isStored) isStored = await this.#storeKey(this.#freeName(), generate())
  }

  #freeName (): string {
    let n = this.#signing.length + 1
    while (this.#signing.some(({ id }) => id === `${name}:${n}`)) n++
    return `${name}:${n}`
  }
}

/** Returns the problem of a PEM as a private key for signing, or undefined. */
export function keyProblem (pem: string): string | undefined {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === curve) {
      return undefined
    }
    return `is a private key of type ${key.asymmetricKeyType ?? 'unknown'}`
  } catch {
    return 'cannot be read as a PEM private key'
  }
}

const known = new WeakMap<readonly PublishedKey[], VerifyingKey[]>()

/** Returns public keys for verification. The keys of a list are read once. */
export function verifyingKeys (published: readonly PublishedKey[]): VerifyingKey[] {
  let keys = known.get(published)
  if (keys === undefined) {
    keys = published.map(({ id, key }) => ({ id, key: createPublicKey(key) }))
    known.set(published, keys)
  }
  return keys
}

/** Returns the problem of a PEM as a public key for verification, or undefined. */
export function publicKeyProblem (pem: string): string | undefined {
  if (pem.includes('PRIVATE KEY')) return 'is a private key; keep that to yourself'
  try {
    const key = createPublicKey(pem)
    if (algorithmsFor(key).length > 0) return undefined
    return (
      'is a key of type ' +
      `${key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? 'unknown'}`
    )
  } catch {
    return 'cannot be read as a PEM public key'
  }
}

function isDefault ({ privateKey }: SigningKey): boolean {
  return privateKey.asymmetricKeyDetails?.namedCurve === curve
}

/** Creates a key without blocking: RSA takes 100 ms. */
async function generateFor (algorithm: AlgorithmName): Promise<string> {
  const generatePair = promisify(generateKeyPair)
  const { privateKey } =
    algorithm === 'ecdsa-p384-sha384'
      ? await generatePair('ec', { namedCurve: 'secp384r1' })
      : await generatePair('rsa', { modulusLength: rsaBits })
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
}

function generate (): string {
  return generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({
    type: 'pkcs8',
    format: 'pem'
  }) as string
}

function read ({ id, privateKey }: KeyRecord): SigningKey {
  return { id, privateKey: createPrivateKey(privateKey) }
}

/** Returns the public part of a key. */
export function publishKey ({ id, privateKey }: SigningKey): PublishedKey {
  return { id, key: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string }
}
