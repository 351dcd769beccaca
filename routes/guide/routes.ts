import { Type } from '../../src/lib/typebox.ts'
import { AdminError, sendFailure } from '../admin/errors.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { sendHtml } from '../http/html.ts'
import { guideHome } from './library.ts'
import { llmsRoutes } from './llms.ts'

const Search = Type.Object({
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'words to look for on all pages' })
  )
})
const FilePath = Type.Object({ '*': Type.String({ maxLength: 200 }) })
const Page = { description: 'The page.', content: { 'text/html': { schema: Type.String() } } }

/** The documentation as pages, for those who have the server and nothing else. */
export function guideRoutes (app: TypedApp): void {
  llmsRoutes(app)
  app.get(
    guideHome,
    {
      config: {
        isOpen: true,
        ignoresAccounts: true,
        documentation: { id: 'getGuide', summary: 'The guide, with a search', tag: 'admin' }
      },
      schema: { querystring: Search, response: { 200: Page } }
    },
    async ({ query }, reply) => {
      const { firstGuidePage } = await import('./page.ts')
      return sendHtml(reply, firstGuidePage(query.search ?? ''))
    }
  )

  app.get(
    `${guideHome}/*`,
    {
      config: { isOpen: true, ignoresAccounts: true, documentation: 'hidden' },
      schema: { params: FilePath }
    },
    async ({ params }, reply) => {
      const { guidePage } = await import('./page.ts')
      const page = guidePage(params['*'])
      if (page === undefined) {
        const message = `the guide has no page '${params['*']}'`
        const hint = `GET ${guideHome} leads to all pages`
        return sendFailure(reply, new AdminError('NOT_FOUND', message, hint))
      }
      return sendHtml(reply, page)
    }
  )
}
