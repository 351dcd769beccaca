import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Schema } from '../../src/openapi/schema.ts'

export interface ReferenceParts {
  /** The OpenAPI document, made when it is first asked for. */
  document: () => Promise<Schema>
  /**
   * Token in the examples. If an admin token is set, the page shows no token, because everybody can
   * open it.
   */
  token: string
  adminToken: string | undefined
  /** Base of all addresses that the server gives out. */
  links: { base: string; listening: string }
}

const Document = Type.Object(
  { openapi: Type.String() },
  { additionalProperties: true, description: 'The OpenAPI 3.1 document.' }
)
const Page = { description: 'The page.', content: { 'text/html': { schema: Type.String() } } }

/** The reference: the document for programs, and a page made from it for people. */
export function referenceRoutes (
  app: FastifyInstance,
  { document, token, adminToken, links }: ReferenceParts
): void {
  let text: string | undefined

  app.get(
    '/__admin/openapi.json',
    {
      config: {
        isOpen: true,
        documentation: {
          id: 'getOpenApi',
          summary: 'This description of the server, in OpenAPI 3.1',
          tag: 'admin'
        }
      },
      schema: { response: { 200: Document } }
    },
    async (_request, reply) => {
      text ??= JSON.stringify(await document())
      return reply.type('application/json').send(text)
    }
  )

  app.get(
    '/__admin/docs',
    {
      config: {
        isOpen: true,
        documentation: { id: 'getReference', summary: 'The reference as a page', tag: 'admin' }
      },
      schema: { response: { 200: Page } }
    },
    async (request, reply) => {
      const { referencePage, headers } = await import('./page.ts')
      return reply.headers(headers).send(
        referencePage(await document(), {
          base: baseOf(request) ?? links.base,
          token: adminToken === undefined ? token : 'YOUR_TOKEN',
          guarded: adminToken !== undefined
        })
      )
    }
  )
}

/** Address that the visitor used, if it is safe in a command. */
function baseOf ({ protocol, host }: FastifyRequest): string | undefined {
  return /^([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?$/.test(host)
    ? `${protocol}://${host}`
    : undefined
}
