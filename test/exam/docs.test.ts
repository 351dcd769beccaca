import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { catalogue, families } from '../../src/exam/catalogue.ts'

/**
 * The catalogue in docs/exam.md is made from the rows: `node test/exam/docs.test.ts --write` writes
 * it.
 */

const path = new URL('../../docs/exam.md', import.meta.url)
const place = /(<!-- catalogue -->\n)([^]*?)(\n<!-- \/catalogue -->)/

function written (): string {
  return Object.entries(families)
    .map(([prefix, name]) => {
      const rows = catalogue
        .filter(({ id }) => id.startsWith(`${prefix}-`))
        .map(
          ({ id, severity, depth, title }) =>
            `| ${id} | ${severity} | ${depth.join('+')} | ${title} |`
        )
      return [
        `### ${name}`,
        '',
        '| Id | Severity | Depth | The bug |',
        '|---|---|---|---|',
        ...rows
      ].join('\n')
    })
    .join('\n\n')
}

if (process.argv.includes('--write')) {
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(
      place,
      (_, start: string, __, end: string) => start + written() + end
    )
  )
}

t.test('docs/exam.md has the catalogue as the rows have it', async (t) => {
  t.equal(place.exec(readFileSync(path, 'utf8'))?.[2], written())
})
