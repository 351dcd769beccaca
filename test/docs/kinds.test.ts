import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { long } from '../support/full.ts'
import { folder } from '../support/helper.ts'
import { limitEachTest } from '../support/limits.ts'

/** What a new kind needs. */

limitEachTest()

const root = fileURLToPath(new URL('../..', import.meta.url))
const kindsFile = join(root, 'src/domain/kinds.ts')

/** Errors that the compiler reports when the table of kinds is changed. */
async function compileWith (change: (text: string) => string): Promise<string[]> {
  const { default: ts } = await import('typescript')
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (path, ...rest) =>
    path === kindsFile
      ? ts.createSourceFile(path, change(readFileSync(path, 'utf8')), rest[0])
      : getSourceFile(path, ...rest)
  const program = ts.createProgram(
    ['src/index.ts', 'src/app.ts']
      .map((path) => join(root, path))
      .concat(fileNames.filter((path) => path.endsWith('.d.ts'))),
    options,
    host
  )
  return program.getSemanticDiagnostics().map(({ file, messageText }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, ' ')
    return `${relative(root, file?.fileName ?? '')}: ${message}`
  })
}

/** A row for a kind in some versions. */
const rowFor = (versions: string): string => `
  topUp: {
    name: 'topUp',
    path: 'top-ups',
    idField: 'topUpId',
    party: 'recipient',
    operation: 'PAYOUT',
    callback: 'topUps',
    money: 'out',
    stateMachine: 'queueing',
    rules: 'wallet',
    about: 'Fill a wallet.',
    versions: ${versions},
    ledgerCode: 7
  },`

const addRow = (text: string, versions: string): string =>
  text.replace('const rows = {', (start) => start + rowFor(versions))

t.test('a new kind needs a row, and a codec in each version that has it', long, async (t) => {
  const errors = await compileWith((text) => addRow(text, "['v1', 'v2']"))
  t.strictSame(
    errors.map((error) => error.slice(0, error.indexOf(':'))).sort(),
    ['src/wire/v1/wire.ts', 'src/wire/v2/wire.ts'],
    'everything else is written for all kinds'
  )
  for (const error of errors) t.match(error, /'topUp' is missing/)
})

/** What a tester does with the new kind. It prints what it has seen. */
const use = `
import { createMomock } from './src/index.ts'

const mock = await createMomock({ clock: 'frozen' })
const sent = await mock.send('topUp')
await mock.advance('5s')
const completed = await mock.wait('topUp', sent.id)

await mock.fail('topUp', 'RECIPIENT_NOT_FOUND', { times: 1 })
const second = await mock.send('topUp')
await mock.advance('5s')
const failed = await mock.payment('topUp', second.id)

await mock.scenario({ when: { kind: 'topUp' }, reject: 'INVALID_AMOUNT', times: 1 })
const rejected = await mock.send('topUp')

await mock.scenario({ fail: 'RECIPIENT_NOT_FOUND', times: 1 })
const alsoFails = await mock.send('topUp')
await mock.advance('5s')

await mock.call('POST', '/v2/top-ups', {}).catch(() => {})
await fetch(mock.url + '/v2/top-ups', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + mock.token, 'content-type': 'application/json' },
  body: JSON.stringify({ ...sent.request.body, amount: 5 })
})
const { paths, tags, webhooks } = await mock.call('GET', '/openapi.json')
console.log(JSON.stringify({
  sent: sent.body.status,
  completed: completed.status,
  failed: failed.record.failureReason,
  rejected: rejected.body,
  alsoFails: (await mock.payment('topUp', alsoFails.id)).status,
  callbacks: (await mock.callbacks({ kind: 'topUp' })).length,
  lint: (await mock.lint()).findings.map(({ message }) => message),
  codes: (await mock.codes()).filter(({ fails }) => fails.includes('topUp')).length,
  documented: Object.keys({ ...paths, ...webhooks }).filter((path) => /top-?up/i.test(path)),
  tag: tags.find(({ name }) => name.includes('top-ups'))
}))
await mock.close()
`

t.test('a new kind can be named, sent, failed, linted and documented', long, async (t) => {
  const home = folder(t)
  for (const part of ['src', 'routes', 'simulator', 'db', 'scenarios', 'package.json']) {
    cpSync(join(root, part), join(home, part), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
  const change = (file: string, edit: (text: string) => string): void =>
    writeFileSync(join(home, file), edit(readFileSync(join(root, file), 'utf8')))
  change('src/domain/kinds.ts', (text) => addRow(text, "['v2']"))
  change('src/wire/v2/wire.ts', (text) =>
    text
      .replace('codecs: {', 'codecs: { topUp,')
      .replace('import { toolkit', "import { topUp } from './top-up.ts'\nimport { toolkit")
  )
  const codec = readFileSync(join(root, 'src/wire/v2/payout.ts'), 'utf8')
  writeFileSync(
    join(home, 'src/wire/v2/top-up.ts'),
    codec
      .replaceAll('payoutId', 'topUpId')
      .replaceAll("'payout'", "'topUp'")
      .replaceAll('payout =', 'topUp =')
  )
  writeFileSync(join(home, 'use.ts'), use)
  // tap adds NODE_OPTIONS, and the copy is not a part of this project.
  const program = ['-u', 'NODE_OPTIONS', process.execPath, join(home, 'use.ts')]
  const seen = JSON.parse(execFileSync('env', program, { cwd: home, encoding: 'utf8' }))
  t.match(seen, {
    sent: 'ACCEPTED',
    completed: 'COMPLETED',
    failed: { failureCode: 'RECIPIENT_NOT_FOUND' },
    rejected: { status: 'REJECTED', failureReason: { failureCode: 'INVALID_AMOUNT' } },
    alsoFails: 'FAILED',
    lint: [/amount/],
    tag: { description: 'Fill a wallet.' }
  })
  t.ok(seen.codes > 3, 'it has failure codes')
  t.ok(seen.documented.length > 3, 'its operations and its callback are documented')
})
