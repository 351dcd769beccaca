import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { Keys } from '../../src/security/keys.ts'
import { closed, PublicKeys } from '../../src/wire/fields.ts'
import { admin } from './guard.ts'

const KeyList = Type.Object({ signing: Type.String({ description: 'the identifier of the key that signs from now on' }), keys: PublicKeys }, closed)

/** The keys of the server, and what a signature looks like from its side. */
export function signatureRoutes (app: FastifyInstance, keys: Keys): void {
  app.post('/keys/rotate', {
    config: admin('rotateKeys', 'Sign with a new key from now on', 'The others stay listed, so that what they signed can still be verified. Keys belong to the server: every account is signed for with the new one. Where the configuration gives keys, the first of those signs again after the next start.'),
    schema: { response: { 200: KeyList } }
  }, async () => {
    await keys.rotate()
    return { signing: keys.signing.id, keys: keys.published }
  })
}
