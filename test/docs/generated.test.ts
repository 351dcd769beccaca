import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { shippedCatalogue } from '../../src/domain/catalogue.ts'
import { kinds, type Kind } from '../../src/domain/kinds.ts'
import { firstStatus, isFinal, movesFrom, statusesOf } from '../../src/domain/status.ts'
import { jsonSchemas } from '../../tools/schema.ts'
import { read, root } from './markdown.ts'

/**
 * Parts of documents that are generated from data. `node test/docs/generated.test.ts --write`
 * writes them. A part is between `<!-- NAME -->` and `<!-- /NAME -->`.
 */

type Providers = (typeof shippedCatalogue)[string]['providers']

function writeTable (head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** Test numbers of each provider, with the result of a deposit or of a payout. */
function writeTestNumbers (): string {
  const rows = Object.values(shippedCatalogue).flatMap(({ displayName, prefix, providers }) =>
    Object.entries(providers as Providers).map(([code, { testNumbers }]) => [
      `${displayName.en} +${prefix}<br>\`${code}\``,
      ...(['DEPOSIT', 'PAYOUT'] as const).map((operation) =>
        Object.entries(testNumbers[operation] ?? {})
          .map(([number, result]) => `\`${number}\` ${result}`)
          .join('<br>')
      )
    ])
  )
  return writeTable(['Provider', 'Deposit', 'Payout'], rows)
}

/** Providers with their currencies, and the operations that share limits. */
function writeProviders (): string {
  const rows = Object.entries(shippedCatalogue).flatMap(([country, { providers }]) =>
    Object.entries(providers as Providers).flatMap(([code, { displayName, currencies }]) =>
      Object.entries(currencies).map(([currency, { operationTypes }]) => {
        const groups = Map.groupBy(
          Object.entries(operationTypes),
          ([, { min, max }]) => `${min}–${max}`
        )
        const limits = [...groups].map(([range, group]) =>
          groups.size === 1 ? range : `${range} (${group.map(([name]) => name).join(', ')})`
        )
        return [country, `\`${code}\``, displayName, currency, limits.join('<br>')]
      })
    )
  )
  return writeTable(['Country', 'Provider', 'Name', 'Currency', 'Limits'], rows)
}

/** One state diagram for all kinds with the same transitions. */
function writeStates (): string {
  const byMachine = Map.groupBy(Object.values(kinds) as Kind[], ({ stateMachine }) => stateMachine)
  return [...byMachine.values()]
    .map((group) => {
      const [kind] = group
      const lines = statusesOf(kind).flatMap((from) => [
        ...movesFrom(kind, from).map((to) => `  ${from} --> ${to}`),
        ...(isFinal(from) ? [`  ${from} --> [*]`] : [])
      ])
      const diagram = ['stateDiagram-v2', `  [*] --> ${firstStatus(kind)}`, ...lines].join('\n')
      return `### ${group.map(({ name }) => name).join(', ')}\n\n\`\`\`mermaid\n${diagram}\n\`\`\``
    })
    .join('\n\n')
}

const parts: Array<[document: string, name: string, write: () => string]> = [
  ['docs/test-numbers.md', 'test numbers', writeTestNumbers],
  ['docs/test-numbers.md', 'providers', writeProviders],
  ['docs/payments.md', 'states', writeStates]
]

for (const [document, name, write] of parts) {
  const path = join(root, document)
  const place = new RegExp(`(<!-- ${name} -->\n)([^]*?)(\n<!-- /${name} -->)`)
  if (process.argv.includes('--write')) {
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(place, (_, start, __, end) => start + write() + end)
    )
  }
  t.equal(place.exec(readFileSync(path, 'utf8'))?.[2], write(), `${document}: ${name}`)
}

for (const [name, write] of Object.entries(jsonSchemas)) {
  t.equal(read(`schemas/${name}`), write(), `npm run schema writes schemas/${name}`)
}
