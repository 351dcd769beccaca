import { Type } from '../../src/lib/typebox.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

/** Call that returns the certificate of the authority of the TLS listener. */
export function authorityRoute (app: TypedApp, { authority }: AdminParts): void {
  app.get(
    '/ca.pem',
    {
      config: {
        ...adminCall(
          'getCertificateAuthority',
          'Show the certificate that HTTPS clients must trust',
          'Needs no token: a certificate is public. It is 404 while TLS is off, and with a ' +
            'certificate of your own.'
        ),
        isOpen: true,
        errors: [404]
      },
      schema: {
        response: {
          200: {
            description: 'The certificate of the authority as PEM.',
            content: { 'application/x-pem-file': { schema: Type.String() } }
          }
        }
      }
    },
    async (_request, reply) => {
      if (authority === undefined) {
        throw new AdminError(
          'NOT_FOUND',
          'this server has no certificate authority',
          'start it with --tls-port, and without --tls-cert'
        )
      }
      return reply.type('application/x-pem-file').send(authority)
    }
  )
}
