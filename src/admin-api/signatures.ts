import type { Static } from '@sinclair/typebox'
import { answerWord, choice, closed, describe, text, Type } from '../lib/typebox.ts'
import { DateTime, PublicKeys } from '../wire/fields.ts'

/** Requests and answers of the calls about keys and signatures. */

export const KeyList = Type.Object(
  {
    signing: Type.String({ description: 'the id of the key that signs from now on' }),
    keys: describe('the public keys, the one in use first', PublicKeys)
  },
  closed
)

/** Keys that callbacks are signed with. */
export interface PublishedKeys extends Static<typeof KeyList> {}

export const PastedRequest = Type.Object(
  {
    method: Type.String({ pattern: '^[A-Za-z-]+$', description: 'the method, such as POST' }),
    url: text('the URL of the request, or its path and query if there is a Host header'),
    headers: Type.Unsafe<Record<string, string>>(
      Type.Object(
        {},
        {
          additionalProperties: Type.String({ description: 'the value of a header' }),
          description: 'every header by its name'
        }
      )
    ),
    body: Type.Optional(Type.String({ description: 'the body, exactly as it was sent' })),
    publicKey: Type.Optional(
      Type.String({
        description:
          'a PEM public key to verify with, for any keyid; without it, the keys of the account ' +
          'and of this server are used, found by the keyid'
      })
    ),
    at: Type.Optional(
      Type.String({
        ...DateTime,
        description: "the time of the verification on the machine's clock; the default is now"
      })
    )
  },
  {
    ...closed,
    description: '{ method, url, headers, body, publicKey, at }',
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

/** Request to have its signature explained. */
export interface PastedRequest extends Static<typeof PastedRequest> {}

export const CallbackToSign = Type.Object(
  {
    url: Type.String({ format: 'http-url', description: 'the http or https URL of the receiver' }),
    body: Type.String({ description: 'the body, exactly as it will be sent' }),
    at: Type.Optional(
      Type.String({
        ...DateTime,
        description:
          'the time of the signature, now by default; the signature is valid for 60 seconds ' +
          'from this time'
      })
    ),
    wrongKey: Type.Optional(
      Type.Boolean({ description: 'true: it is signed with a key that is not ours' })
    ),
    // The earlier form of wrongKey.
    key: Type.Optional(choice(['own', 'foreign']))
  },
  {
    ...closed,
    description: '{ url, body, at, wrongKey }',
    examples: [{ url: 'http://127.0.0.1:3000/callbacks', body: '{"status":"COMPLETED"}' }]
  }
)

/** Callback to be signed as the server would sign it. */
export interface CallbackToSign extends Static<typeof CallbackToSign> {}

export const SignedCallback = Type.Object(
  {
    method: describe('the method', answerWord('POST')),
    url: Type.String({ description: 'where to send it' }),
    headers: Type.Unsafe<Record<string, string>>(
      Type.Object(
        {},
        { additionalProperties: Type.String(), description: 'the headers to send it with' }
      )
    ),
    body: Type.String({ description: 'the body to send, unchanged' })
  },
  closed
)

/** Callback that was signed and can be sent. */
export interface SignedCallback extends Static<typeof SignedCallback> {}

export const SignatureExplanation = Type.Object(
  {
    valid: Type.Boolean({ description: 'true if nothing is wrong with the signature' }),
    problems: Type.Array(Type.String(), { description: 'everything that is wrong' }),
    hints: Type.Array(Type.String(), { description: 'how to fix it, if that is known' }),
    label: Type.Optional(Type.String({ description: 'the label of the signature' })),
    components: Type.Array(Type.String(), {
      description: 'the covered components, in the order received'
    }),
    parameters: Type.Unsafe<Record<string, string | number | boolean>>(
      Type.Object(
        {},
        {
          additionalProperties: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
          description: 'the parameters, in the order received'
        }
      )
    ),
    base: Type.Optional(
      Type.String({
        description: 'the signature base; absent if a covered component is missing'
      })
    ),
    algorithm: Type.Optional(
      Type.String({ description: 'the algorithm that was used to verify it' })
    ),
    encoding: Type.Optional(
      describe('how the ECDSA signature is written', answerWord('der', 'p1363', 'unknown'))
    )
  },
  closed
)

/** Explanation of the signature of a request. */
export interface SignatureExplanation extends Static<typeof SignatureExplanation> {}
