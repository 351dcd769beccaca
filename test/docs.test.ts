import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { commands } from '../src/cli/commands.ts'
import { settings } from '../src/config.ts'
import { createMomock, MomockClient } from '../src/index.ts'
import { bodyLimit } from '../routes/body.ts'
import { bulkLimit } from '../routes/payments.ts'
import { loadScenarios, shippedFolders } from '../simulator/scenarios.ts'
import { ScenarioSchema } from '../src/domain/scenario.ts'
import { build, folder, until } from './helper.ts'

const root = new URL('..', import.meta.url).pathname
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The table of settings as the README must have it. */
function settingsTable (): string {
  const rows = settings.map(({ flag, variable, description, default: preset }) => `| \`${flag}\` | \`${variable}\` | ${description} | ${preset === undefined ? '' : preset.includes(' ') ? preset : `\`${preset}\``} |`)
  return ['| Flag | Variable | What it is | Default |', '|---|---|---|---|', ...rows].join('\n')
}

t.test('the README lists every setting as the code has it', async (t) => {
  const [, table] = /<!-- settings -->\n([\s\S]*?)\n?<!-- \/settings -->/.exec(read('README.md')) ?? []
  t.equal(table, settingsTable())
})

t.test('the README lists every command as the code has it', async (t) => {
  const [, table] = /<!-- commands -->\n([\s\S]*?)\n?<!-- \/commands -->/.exec(read('README.md')) ?? []
  const rows = commands.map(({ name, words, summary }) => `| \`momock ${words === undefined ? name : `${name} ${words}`}\` | ${summary} |`)
  t.equal(table, ['| Command | What it does |', '|---|---|', ...rows].join('\n'))
})

t.test('links between the documents lead somewhere', async (t) => {
  for (const document of ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/architecture.md', 'docs/decisions.md', 'docs/codes.md', 'docs/signatures.md', 'docs/callbacks.md', 'docs/admin.md', 'docs/pages.md', 'scenarios/README.md', 'examples/merchant/README.md']) {
    for (const [, link] of read(document).matchAll(/(?:\]\(|<img src=")([^)#"]+)/g)) {
      if (!link.startsWith('http')) t.ok(existsSync(join(root, dirname(document), link)), `${document}: ${link}`)
    }
  }
})

t.test('paths and scripts that the documents name exist', async (t) => {
  const { scripts } = JSON.parse(read('package.json'))
  for (const document of ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/codes.md', 'examples/merchant/README.md']) {
    const text = read(document)
    for (const [, path] of text.matchAll(/`((?:src|routes|simulator|db|test|docs|scenarios|examples)\/[\w./-]+\.\w+)`/g)) t.ok(existsSync(join(root, path)), `${document}: ${path}`)
    for (const [, script] of text.matchAll(/npm (?:run )?(start|test|bench|build)\b/g)) t.ok(scripts[script], `${document}: npm ${script}`)
  }
})

t.test('the limits of the decisions are those of the code', async (t) => {
  const text = read('docs/decisions.md')
  t.equal(bodyLimit, 1024 * 1024)
  t.match(text, 'A body over 1 MiB')
  t.match(text, `A list of 1 to ${bulkLimit}`)
})

/** Runs a line of the documentation in a shell, against the server of the test. */
async function shell (command: string, url: string): Promise<any> {
  const { stdout } = await promisify(execFile)('bash', ['-c', command.replaceAll('http://127.0.0.1:7070', url)])
  return stdout === '' ? undefined : JSON.parse(stdout)
}

for (const [document, count] of [['README.md', 2], ['docs/codes.md', 3]] as const) {
  t.test(`the requests of ${document} give the answers it shows`, async (t) => {
    const mock = await createMomock()
    t.teardown(mock.close)
    const examples = [...read(document).matchAll(/```sh\n(curl [\s\S]*?)\n```\n\n(?:.*\n)*?```json\n(.*)\n```/g)]
    t.equal(examples.length, count)
    for (const [, command, shown] of examples) {
      const timeless = (answer: any) => JSON.parse(JSON.stringify(answer, (key, value) => key === 'created' ? /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value) : value))
      const wanted = timeless(JSON.parse(shown))
      const answer = await until(() => shell(command, mock.url), (answer) => (answer.data?.status ?? 'ACCEPTED') === (wanted.data?.status ?? 'ACCEPTED'))
      t.strictSame(timeless(answer), wanted)
    }
  })
}

t.test('the scenarios are listed as they are', async (t) => {
  const { scenarios } = await loadScenarios([shippedFolders[0]])
  const text = read('scenarios/README.md')
  for (const { name } of scenarios) {
    const [, description] = /^description: (.*)$/m.exec(read(`scenarios/${name}.yaml`)) ?? []
    t.ok(text.includes(`| \`${name}\` | ${description} |`), name)
  }
  const [, example] = /```yaml\n([\s\S]*?)```/.exec(text) ?? []
  const path = join(folder(t), 'example.yaml')
  writeFileSync(path, example)
  t.strictSame((await loadScenarios([[path]])).problems, [], 'the example is a good scenario')
  for (const field of [...Object.keys(ScenarioSchema.properties), ...Object.keys(ScenarioSchema.properties.when.properties)]) t.ok(text.includes(field), field)
})

t.test('every admin call is in its document, and no other', async (t) => {
  const mock = await build(t)
  const { paths } = (await mock.call('GET', '/__admin/openapi.json')).body
  const calls = Object.entries<object>(paths).filter(([path]) => path.startsWith('/__admin')).flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
  const named = [...read('docs/admin.md').matchAll(/`((?:GET|POST|PUT|DELETE|PATCH) \/__admin[^`]*)`/g)].map(([, call]) => call)
  t.strictSame([...new Set(named)].sort(), calls.sort())
})

t.test('the stories of docs/admin.md go as they say', async (t) => {
  const stories = [...read('docs/admin.md').matchAll(/```sh\n([\s\S]*?)```\n\n```json\n(.*)\n```/g)]
  t.ok(stories.length >= 6)
  for (const [, commands, shown] of stories) {
    const mock = await createMomock()
    t.teardown(mock.close)
    const answers = []
    for (const command of commands.trim().split('\n')) answers.push(await shell(command, mock.url))
    // Of a list the first are shown.
    t.match(answers.at(-1), JSON.parse(shown), commands)
  }
})

t.test('the stories of docs/callbacks.md go as it says', async (t) => {
  const { port } = await freePort()
  const mock = await createMomock({ port, callbackUrl: `http://127.0.0.1:${port}/__admin/sink/shop` })
  t.teardown(mock.close)
  const stories = [...read('docs/callbacks.md').matchAll(/```sh\n(curl [\s\S]*?)```\n(?:.*\n)*?```json\n(.*)\n```/g)]
  t.equal(stories.length, 2)
  for (const [, commands, shown] of stories) {
    const answers = []
    for (const command of commands.trim().split('\n')) answers.push(await shell(command, mock.url))
    t.match(answers.at(-1).callbacks.at(-1), JSON.parse(shown, abbreviated))
  }
})

t.test('docs/testing.md shows the recipes as they are, and they call what there is', async (t) => {
  const text = read('docs/testing.md')
  const names = readdirSync(join(root, 'examples/testing'))
  t.ok(names.length >= 6)
  for (const name of names) t.ok(text.includes(`\`\`\`js\n// examples/testing/${name}\n${read(`examples/testing/${name}`)}\`\`\`\n`), name)
  const methods = new Set([...text.matchAll(/\b(?:mock|account)\.(\w+)\(/g)].map(([, method]) => method))
  t.same([...methods].filter((method) => method !== 'close' && !(method in MomockClient.prototype)), [])
})

/** A text that ends with … begins like this. */
function abbreviated (_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.endsWith('…') ? new RegExp(`^${value.slice(0, -1).replace(/[^\w ]/g, '\\$&')}`) : value
}

/** A port that nobody listens on at the moment. */
async function freePort (): Promise<AddressInfo> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address() as AddressInfo
  await once(server.close(), 'close')
  return address
}
