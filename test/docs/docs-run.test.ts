import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { parseDocument } from 'yaml'
import { validateFiles } from '../../src/cli/validation.ts'
import { createMomock, type Momock } from '../../src/index.ts'
import { long } from '../support/full.ts'
import { slow } from '../support/limits.ts'
import { build, folder } from '../support/helper.ts'
import { blocksOf, differences, documents, read, root, type Block } from './markdown.ts'
import { command } from '../support/process.ts'

/**
 * Runs the documents: commands are run and their answers compared, samples are run or are files
 * that tests run, configurations and scenarios are validated. A block that cannot be run has a
 * comment before it: `<!-- not run: why -->`.
 */

/** Address of the mock in the documents. */
const shownUrl = 'http://127.0.0.1:7070'
/** First words of commands that are run. Other commands are for people. */
const runnable = /^(curl|npm --silent start -- [a-z]|#|[^a-z])/
/** It is not run, or not here; the mark says why, or where. */
function isNotRun ({ mark }: Block): boolean {
  return mark?.name === 'not run' || (mark?.name === 'run in' && read(mark.value) !== '')
}

/** Runs the commands of a document in their order, as somebody would paste them. */
async function runAll (t: Test, commands: Block[], mock: Momock): Promise<void> {
  for (const block of commands) {
    const strange = block.text.split('\n').find((line) => line !== '' && !runnable.test(line))
    if (strange !== undefined) {
      t.fail(`${block.where} is neither run nor marked with <!-- not run: why -->: ${strange}`)
      continue
    }
    const answers = await run(t, block, mock)
    const shown = block.answer
    if (shown === undefined) t.pass(`${block.where} runs`)
    else {
      t.strictSame(
        differences(
          shown.language === 'json' ? JSON.parse(shown.text) : shown.text.trim(),
          answers.at(-1)
        ),
        [],
        `${shown.where} is the answer`
      )
    }
  }
}

/** Puts elements in an order that looks random and depends on the seed alone. */
function shuffle (pages: typeof withCommands, seed: string): typeof withCommands {
  const key = (document: string): string =>
    createHash('sha256').update(`${seed} ${document}`).digest('hex')
  return pages.toSorted((a, b) => key(a.document).localeCompare(key(b.document)))
}

/** Leaves payments, a frozen clock, an outage, a scenario and other settings behind. */
async function useDefaultAccount (mock: Momock): Promise<void> {
  await mock.setClock({ mode: 'frozen', now: '2026-03-01T00:00:00Z' })
  await mock.outage('MTN_MOMO_ZMB')
  await mock.fail('deposit', 'INSUFFICIENT_BALANCE')
  await mock.configure({ callbacks: { deposits: `${mock.url}/__admin/sink/shop` } })
}

/** Runs a block in a shell; what each of its commands answered. */
async function run (t: Test, { text, where }: Block, mock: Momock): Promise<unknown[]> {
  const momock = command([], { MOMOCK_PORT: new URL(mock.url).port })
    .map((word) => `'${word}'`)
    .join(' ')
  const prelude =
    'set -eo pipefail\ncurl () { command curl "$@" && printf \'\\036\'; }\nnpm () { shift 3; ' +
    `${momock} "$@" && printf '\\036'; }\n`
  try {
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-c', prelude + text.replaceAll(shownUrl, mock.url)],
      { cwd: root }
    )
    return stdout
      .replaceAll(mock.url, shownUrl)
      .split('\x1e')
      .map((answer) => answer.trim())
      .filter((answer) => answer !== '')
      .map(parsed)
  } catch (error) {
    t.fail(`${where} ends with an error: ${String(error)}`)
    return []
  }
}

/** An answer that is not JSON is a text. */
function parsed (answer: string): unknown {
  return /^[[{"\d]/.test(answer) ? JSON.parse(answer) : answer
}

/** Commands are run above, and their answers with them. */
const elsewhere = new Set(['sh', 'text'])

/**
 * Checks of other blocks, by language. A block without a check must be a file, or give a reason.
 */
const checks: Record<string, (t: Test, block: Block) => Promise<void>> = {
  json: async (t, { text }) => {
    t.doesNotThrow(() => {
      JSON.parse(text)
    })
  },
  yaml: checkYaml,
  js: runSample,
  mermaid: checkDiagram
}

/**
 * The first line of YAML says which file it is: a configuration, a scenario, or one of somebody
 * else.
 */
async function checkYaml (t: Test, { text, where }: Block): Promise<void> {
  const [, name] = /^# ([\w./-]+\.ya?ml)\b/.exec(text) ?? []
  t.ok(name, `${where} begins with a comment that names the file`)
  t.strictSame(parseDocument(text).errors, [])
  if (name === undefined || !/^(momock|scenarios\/)/.test(name)) return
  const path = join(folder(t), name.replace('scenarios/', ''))
  writeFileSync(path, text)
  t.strictSame(await validateFiles([path]), { checked: [path], problems: [], notes: [] })
}

/** A diagram names only folders and files that exist. */
async function checkDiagram (t: Test, { text, where }: Block): Promise<void> {
  t.match(text, /^(flowchart|sequenceDiagram|stateDiagram-v2)/, where)
  for (const [path] of text.matchAll(/\b(?:src|routes|db|simulator)\/[\w./-]+/g)) {
    t.ok(existsSync(join(root, path)), `${where}: ${path}`)
  }
}

/** A sample in JavaScript is run as it stands. */
async function runSample (t: Test, block: Block): Promise<void> {
  if (block.mark?.name === 'file') return await compare(t, block)
  const path = join(folder(t), 'sample.mjs')
  writeFileSync(
    path,
    block.text.replace("'momock'", `'${pathToFileURL(join(root, 'src/index.ts')).href}'`)
  )
  await t.resolves(import(path), `${block.where} runs`)
}

/** A sample that is shown from a file is that file. */
async function compare (t: Test, { text, mark, where }: Block): Promise<void> {
  const file = mark?.name === 'file' ? mark.value : ''
  t.equal(
    text,
    file === '' ? 'one with a mark <!-- file: path --> or <!-- not run: why -->' : read(file),
    `${where} is what ${file} holds`
  )
}

/** One mock for the commands of all documents, with an account that was used. */
const usedMock = await createMomock()
await useDefaultAccount(usedMock)
t.teardown(() => usedMock.close())

const withCommands = documents
  .map((document) => ({
    document,
    commands: blocksOf(document).filter((block) => block.language === 'sh' && !isNotRun(block))
  }))
  .filter(({ commands }) => commands.length > 0)

const leaving = withCommands.filter(({ commands }) =>
  commands.some(({ text }) => text.includes('/__admin/reset'))
)

// Documents have their own accounts, so several run at once. The second time each document finds
// what it has left; those that leave nothing run once.
for (const time of ['first', 'second']) {
  const name = `the commands of each document give the shown answers, ${time} time`
  t.test(name, { ...slow, ...(time === 'second' && long) }, async (t) => {
    t.jobs = 4
    for (const { document, commands } of shuffle(time === 'first' ? withCommands : leaving, time)) {
      const options = { buffered: true, ...slow }
      t.test(document, options, async (t) => await runAll(t, commands, usedMock))
    }
  })
}

for (const document of documents) {
  const blocks = blocksOf(document)
  for (const block of blocks) {
    const check = checks[block.language] ?? compare
    if (!elsewhere.has(block.language) && !isNotRun(block)) {
      t.test(`the ${block.language} block at ${block.where} is valid`, (t) => check(t, block))
    }
  }
}

t.test('every request in a sentence exists', async (t) => {
  const mock = await build(t)
  const { paths } = (await mock.call('GET', '/__admin/openapi.json')).body as {
    paths: Record<string, object>
  }
  const calls = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({ method: method.toUpperCase(), parts: path.split('/') }))
  )
  const exists = (method: string, path: string): boolean =>
    calls.some(
      (call) => call.method === method && matches(call.parts, path.split('?')[0].split('/'))
    )
  for (const document of documents) {
    for (const [named, method, path] of read(document).matchAll(
      /`(GET|POST|PUT|PATCH|DELETE) (\/[^\s`]*)`/g
    )) {
      // Tables of admin calls leave the beginning of the path out.
      const places = [path, `/__admin${path}`]
      t.ok(
        path.includes('…') || places.some((place) => exists(method, place)),
        `${document}: ${named}`
      )
    }
  }
})

/** Is this the path? Whatever stands where the reference has a name in braces fits. */
function matches (known: string[], parts: string[]): boolean {
  return (
    known.length === parts.length &&
    known.every((part, index) => part.startsWith('{') || part === parts[index])
  )
}

t.test('the comparison of answers finds differences', async (t) => {
  const rows: Array<[shown: unknown, got: unknown, same: boolean]> = [
    [{ a: 1, b: ['x'] }, { a: 1, b: ['x'] }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, '…': '…' }, { a: 1, b: 2 }, true],
    [{ a: 1, '…': '…' }, { b: 2 }, false],
    [['x', '…'], ['x', 'y'], true],
    [['x'], ['x', 'y'], false],
    [['x', 'y'], ['x'], false],
    ['the sha…', 'the sha-512', true],
    ['the sha…', 'a sha-512', false],
    ['2026-01-31T12:00:00Z', '2030-12-01T01:02:03Z', true],
    ['2026-01-31T12:00:00Z', '2030-12-01T01:02:03.004Z', false],
    ['2026-01-01T00:00:00Z', '2030-12-01T01:02:03Z', false],
    [{ a: null }, {}, false],
    [1, '1', false]
  ]
  for (const [shown, got, same] of rows) {
    t.equal(
      differences(shown, got).length === 0,
      same,
      `${JSON.stringify(shown)} and ${JSON.stringify(got)}`
    )
  }
})
