import type { TypedApp } from '../http/typed-app.ts'
import { firstPage, guideHome, readGuideFile } from './library.ts'

/** The guide for assistants: a list of its pages, and the pages for users as one text. */

/** Pages of the first table of the guide: path, name and question. */
function listPages (): Array<{ path: string; label: string; question: string }> {
  const [, table = ''] = /^## Use\n([^]*?)^## /m.exec(readGuideFile(firstPage) ?? '') ?? []
  const rows = [...table.matchAll(/^\| \[(.+?)\]\((.+?)\) \| (.*) \|$/gm)]
  return rows.map(([, label, link, question]) => {
    const path = link.startsWith('../') ? link.slice(3) : `docs/${link}`
    return { path, label, question }
  })
}

const head = '# momock\n\n> A mock of the pawaPay Merchant API, v1 and v2, that tests control.\n'

const texts = {
  '/llms.txt': () => {
    const pages = listPages().map(
      ({ path, label, question }) => `- [${label}](${guideHome}/${path}): ${question}`
    )
    const all = '- [All of it](/llms-full.txt): the same pages as one text'
    return `${head}\n## Pages\n\n${[all, ...pages].join('\n')}\n`
  },
  '/llms-full.txt': () => {
    const pages = ['AGENTS.md', ...listPages().map(({ path }) => path)]
    return [head, ...pages.map((path) => readGuideFile(path) ?? '')].join('\n')
  }
}

/** Serves the guide as text. */
export function llmsRoutes (app: TypedApp): void {
  for (const [path, write] of Object.entries(texts)) {
    app.get(
      path,
      { config: { isOpen: true, ignoresAccounts: true, documentation: 'hidden' } },
      async (_, reply) => reply.type('text/plain; charset=utf-8').send(write())
    )
  }
}
