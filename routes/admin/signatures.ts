import { createPublicKey } from 'node:crypto'
import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import type { SystemClock } from '../../src/lib/clock.ts'
import type { Message } from '../../src/security/components.ts'
import { explainSignature } from '../../src/security/explanation.ts'
import {
  publicKeyProblem,
  verifyingKeys,
  type Keys,
  type VerifyingKey
} from '../../src/security/keys.ts'
import { closed, PublicKeys, wordOf } from '../../src/wire/fields.ts'
import { adminCall, AdminError } from './guard.ts'

export const KeyList = Type.Object(
  {
    signing: Type.String({ description: 'the identifier of the key that signs from now on' }),
    keys: PublicKeys
  },
  closed
)

export const PastedRequest = Type.Object(
  {
    method: Type.String({ minLength: 1, description: 'the method, such as POST' }),
    url: Type.String({
      minLength: 1,
      description: 'the URL it was sent to, or only its path and query when there is a Host header'
    }),
    headers: Type.Object(
      {},
      {
        additionalProperties: Type.String({ description: 'the value of a header' }),
        description: 'every header by its name'
      }
    ),
    body: Type.Optional(Type.String({ description: 'the body, exactly as it was sent' })),
    publicKey: Type.Optional(
      Type.String({
        description:
          'a PEM public key to verify with, whatever the keyid; without it, the keys of the ' +
          'account and of this server are tried by their ids'
      })
    )
  },
  {
    ...closed,
    description: '{ method, url, headers, body, publicKey }',
    examples: [
      {
        method: 'POST',
        url: 'http://127.0.0.1:7070/v2/deposits',
        headers: {
          'signature-input':
            'sig-pp=("@method" "@authority" "@path");keyid="shop";created=1767225600',
          signature: 'sig-pp=:MEUCIQ==:'
        },
        body: '{}'
      }
    ]
  }
)

export const ExplanationAnswer = Type.Object(
  {
    valid: Type.Boolean({ description: 'is there nothing wrong with it?' }),
    problems: Type.Array(Type.String(), { description: 'everything that is wrong' }),
    hints: Type.Array(Type.String(), { description: 'what would help, where that can be told' }),
    label: Type.Optional(
      Type.String({ description: 'the name of the signature that was looked at' })
    ),
    components: Type.Array(Type.String(), {
      description: 'what is covered, in the order received'
    }),
    parameters: Type.Object(
      {},
      {
        additionalProperties: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
        description: 'the parameters, in the order received'
      }
    ),
    base: Type.Optional(
      Type.String({
        description: 'the text that must have been signed; left out when a component is missing'
      })
    ),
    algorithm: Type.Optional(Type.String({ description: 'the algorithm it was verified with' })),
    encoding: Type.Optional(wordOf('der', 'p1363', 'unknown'))
  },
  closed
)

/** The keys of the server, and what a signature looks like from its side. */
export function signatureRoutes (app: FastifyInstance, keys: Keys, systemClock: SystemClock): void {
  app.post(
    '/keys/rotate',
    {
      config: adminCall(
        'rotateKeys',
        'Sign with a new key from now on',
        'The others stay listed, so that what they signed can still be verified. Keys belong ' +
          'to the server: every account is signed for with the new one. Where the ' +
          'configuration gives keys, the first of those signs again after the next start.'
      ),
      schema: { response: { 200: KeyList } }
    },
    async () => {
      await keys.rotate()
      return { signing: keys.signing.id, keys: keys.published }
    }
  )

  app.post(
    '/signatures/explain',
    {
      config: adminCall(
        'explainSignature',
        'What this server makes of the signature of a request',
        'For a request that was refused, or a callback that your code refuses: paste it, and ' +
          'see the base that was built from it, and all that is wrong with it.'
      ),
      schema: { body: PastedRequest, response: { 200: ExplanationAnswer } }
    },
    async (request) => {
      const pasted = request.body as Static<typeof PastedRequest>
      const { publicKeys = [], acceptedSignatureEncoding = 'both' } = request.account.settings
      const known = [...verifyingKeys(publicKeys), ...verifyingKeys(keys.published)]
      return explainSignature(messageOf(pasted), Buffer.from(pasted.body ?? ''), {
        keys: pasted.publicKey === undefined ? known : pickGiven(pasted),
        now: systemClock.now(),
        encoding: acceptedSignatureEncoding
      })
    }
  )
}

function messageOf ({ method, url, headers: pasted }: Static<typeof PastedRequest>): Message {
  const headers: Record<string, string> = Object.fromEntries(
    Object.entries(pasted as Record<string, string>).map(([name, value]) => [
      name.toLowerCase(),
      value
    ])
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

/** The key that was pasted with the request, under the name the request gives it. */
function pickGiven ({ publicKey = '', headers }: Static<typeof PastedRequest>): VerifyingKey[] {
  const problem = publicKeyProblem(publicKey)
  if (problem !== undefined) {
    throw new AdminError(
      'BAD_REQUEST',
      `publicKey ${problem}`,
      'give an RSA, EC P-256 or EC P-384 public key as PEM'
    )
  }
  const input =
    Object.entries(headers as Record<string, string>).find(
      ([name]) => name.toLowerCase() === 'signature-input'
    )?.[1] ?? ''
  const [, id = ''] = /;\s*keyid="([^"]*)"/.exec(input) ?? []
  return [{ id, key: createPublicKey(publicKey) }]
}
