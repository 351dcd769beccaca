import { Type } from '../../src/lib/typebox.ts'
import type { Static } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { html, type Html } from '../../src/lib/html.ts'
import { demoTokenOf } from '../../src/domain/account.ts'
import { AdminError, sendFailure } from '../admin/errors.ts'
import type { AdminParts } from '../admin/parts.ts'
import { sendHtml } from '../http/html.ts'

const Document = Type.Object(
  { openapi: Type.String() },
  { additionalProperties: true, description: 'The OpenAPI 3.1 document.' }
)
const GroupPath = Type.Object({ group: Type.String({ maxLength: 64 }) })
const Page = { description: 'The page.', content: { 'text/html': { schema: Type.String() } } }

/** The reference: the document for programs, and pages made from it for people. */
export function referenceRoutes (
  app: FastifyInstance,
  { document, accounts, adminToken, links }: AdminParts
): void {
  let text: string | undefined

  app.get(
    '/__admin/openapi.json',
    {
      config: {
        isOpen: true,
        ignoresAccounts: true,
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

  const createPage = async (
    request: FastifyRequest,
    group?: string
  ): Promise<Html | undefined> => {
    const { referencePage } = await import('./page.ts')
    const reader = {
      base: baseOf(request) ?? links.base,
      // Everybody can open the page.
      token: adminToken === undefined ? demoTokenOf(accounts.default.settings) : 'YOUR_TOKEN',
      guarded: adminToken !== undefined
    }
    return referencePage(await document(), reader, group)
  }

  app.get(
    '/__admin/docs',
    {
      config: {
        isOpen: true,
        ignoresAccounts: true,
        documentation: { id: 'getReference', summary: 'The reference as pages', tag: 'admin' }
      },
      schema: { response: { 200: Page } }
    },
    async (request, reply) => sendHtml(reply, (await createPage(request)) ?? html``)
  )

  app.get<{ Params: Static<typeof GroupPath> }>(
    '/__admin/docs/:group',
    {
      config: { isOpen: true, ignoresAccounts: true, documentation: 'hidden' },
      schema: { params: GroupPath }
    },
    async (request, reply) => {
      const page = await createPage(request, request.params.group)
      if (page === undefined) {
        const { group } = request.params
        const message = `the API reference has no page '${group}'`
        const hint = 'GET /__admin/docs leads to all pages'
        return sendFailure(reply, new AdminError('NOT_FOUND', message, hint))
      }
      return sendHtml(reply, page)
    }
  )
}

/** Address that the visitor used, if it is safe in a command. */
function baseOf ({ protocol, host }: FastifyRequest): string | undefined {
  return /^([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?$/.test(host)
    ? `${protocol}://${host}`
    : undefined
}
