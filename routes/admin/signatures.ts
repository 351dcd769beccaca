import { createPublicKey } from 'node:crypto'
import type { Static } from '@sinclair/typebox'
import {
  CallbackToSign,
  KeyList,
  PastedRequest,
  SignatureExplanation,
  SignedCallback
} from '../../src/admin-api/signatures.ts'
import type { Message } from '../../src/security/components.ts'
import { explainSignature } from '../../src/security/explanation.ts'
import { publicKeyProblem, verifyingKeys, type VerifyingKey } from '../../src/security/keys.ts'
import { signRequest } from '../../src/security/signature.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

/** Content type of every callback. */
const callbackType = 'application/json; charset=UTF-8'

/** Calls that rotate the signing key, and explain or make a signature. */
export function signatureRoutes (app: TypedApp, { keys, systemClock }: AdminParts): void {
  app.post(
    '/keys/rotate',
    {
      config: adminCall(
        'rotateKeys',
        'Sign with a new key from now on',
        'Earlier keys stay listed, so that earlier signatures can still be verified. Keys belong ' +
          'to the server, so the new key signs for every account. If the configuration has keys, ' +
          'the first of them signs again after the next start.'
      ),
      schema: { response: { 200: KeyList } }
    },
    async () => {
      await keys.rotate()
      return { signing: keys.signing.id, keys: [...keys.published] }
    }
  )

  app.post(
    '/signatures/explain',
    {
      config: adminCall(
        'explainSignature',
        'Explain the signature of a request',
        'For a request that this server refused, or a callback that your code refuses. Paste it ' +
          'to see the signature base and everything that is wrong with the signature.'
      ),
      schema: { body: PastedRequest, response: { 200: SignatureExplanation } }
    },
    async ({ account, body: pasted }) => {
      const { publicKeys = [], acceptedSignatureEncoding = 'both' } = account.settings
      const known = [...verifyingKeys(publicKeys), ...verifyingKeys(keys.published)]
      return explainSignature(readMessage(pasted), Buffer.from(pasted.body ?? ''), {
        keys: pasted.publicKey === undefined ? known : readKey(pasted, pasted.publicKey),
        now: pasted.at === undefined ? systemClock.now() : Date.parse(pasted.at),
        encoding: acceptedSignatureEncoding
      })
    }
  )

  app.post(
    '/signatures/sign',
    {
      config: adminCall(
        'signCallback',
        'Sign a callback of your own',
        'Returns the headers that this server would send with such a callback. The body can be ' +
          'any text, and nothing is sent. `wrongKey` signs with a key that is not of this ' +
          'server, under the id of one that is: your code must refuse this callback.'
      ),
      schema: { body: CallbackToSign, response: { 200: SignedCallback } }
    },
    async ({ account, body: { url, body, at, wrongKey, key } }) => {
      const { signatureEncoding: encoding = 'der' } = account.settings
      const now = at === undefined ? systemClock.now() : Date.parse(at)
      const isWrong = wrongKey ?? key === 'foreign'
      const signer = { key: isWrong ? keys.wrongKey : keys.signing, now, encoding }
      const headers = await signRequest('POST', new URL(url), callbackType, body, signer)
      return { method: 'POST' as const, url, headers, body }
    }
  )
}

function readMessage ({ method, url, headers: pasted }: Static<typeof PastedRequest>): Message {
  const headers: Record<string, string> = Object.fromEntries(
    Object.entries(pasted).map(([name, value]) => [name.toLowerCase(), value])
  )
  const whole = URL.parse(url, `http://${headers.host ?? 'localhost'}`)
  if (whole === null || !whole.protocol.startsWith('http')) {
    throw new AdminError(
      'BAD_REQUEST',
      'url must be an http or https URL, or a path',
      'such as "url": "http://127.0.0.1:7070/v2/deposits"'
    )
  }
  return {
    method,
    scheme: whole.protocol === 'https:' ? 'https' : 'http',
    authority: headers.host ?? whole.host,
    target: whole.pathname + whole.search,
    headers
  }
}

/** Returns the pasted public key under the keyid of the pasted request. */
function readKey ({ headers }: Static<typeof PastedRequest>, publicKey: string): VerifyingKey[] {
  const problem = publicKeyProblem(publicKey)
  if (problem !== undefined) {
    throw new AdminError(
      'BAD_REQUEST',
      `publicKey ${problem}`,
      'send an RSA, EC P-256 or EC P-384 public key as PEM'
    )
  }
  const [, input = ''] =
    Object.entries(headers).find(([name]) => name.toLowerCase() === 'signature-input') ?? []
  const [, id = ''] = /;\s*keyid="([^"]*)"/.exec(input) ?? []
  return [{ id, key: createPublicKey(publicKey) }]
}
