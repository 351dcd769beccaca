import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { listExits } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { ConfigSchema, settings } from '../../src/config/config.ts'
import { bodyLimit } from '../../routes/http/body.ts'
import { bulkLimit } from '../../routes/api/payments.ts'
import { loadScenarios } from '../../src/scenarios/scenario-files.ts'
import { shippedFolder } from '../../src/scenarios/scenario-folders.ts'
import { WrittenAccount } from '../../src/domain/account-settings.ts'
import { ScenarioSchema } from '../../src/domain/scenario-file.ts'
import { serviceHosts } from '../../src/domain/service-hosts.ts'
import { MomockClient } from '../../src/index.ts'
import { tools } from '../../src/mcp/tools.ts'
import { authorityFiles } from '../../src/tls/authority.ts'
import { languages, listTrustLines } from '../../src/tls/trust-lines.ts'
import { build, folder } from '../support/helper.ts'
import { durationForms } from '../../src/lib/duration.ts'
import { anchorsOf, documents, read, root, translations, withoutCode } from './markdown.ts'

/**
 * The documents are true where that can be read from the code. What they tell users to do is done
 * in docs-run.test.ts.
 */

/** Returns the text between two marks of a document: `<!-- settings -->`. */
function marked (document: string, mark: string): string | undefined {
  return new RegExp(`<!-- ${mark} -->\\n([^]*?)\\n?<!-- /${mark} -->`).exec(read(document))?.[1]
}

/** The table of settings as the documentation must have it. */
function settingsTable (): string {
  const rows = settings.map(
    ({ flag, variable, description, default: preset }) =>
      `| \`${flag}\` | \`${variable}\` | ${description.replace(durationForms, 'a duration')} | ` +
      `${preset === undefined ? '' : preset.includes(' ') ? preset : `\`${preset}\``} |`
  )
  return ['| Flag | Variable | Meaning | Default |', '|---|---|---|---|', ...rows].join('\n')
}

t.test('docs/configuration.md lists every setting as the code has it', async (t) => {
  t.equal(marked('docs/configuration.md', 'settings'), settingsTable())
})

t.test('the lock file prevents a build of better-sqlite3', async (t) => {
  // npm 10 goes by the lock file, and would want Python; npm install drops what it does not know,
  // so it has to be put back.
  const { packages } = JSON.parse(read('package-lock.json'))
  t.equal(
    packages['node_modules/better-sqlite3'].gypfile,
    false,
    'package-lock.json needs "gypfile": false in its entry of better-sqlite3'
  )
})

t.test('docs/configuration.md lists every field of an account', async (t) => {
  const rows = Object.entries(WrittenAccount.properties).map(
    ([name, { description }]) => `| \`${name}\` | ${description?.replaceAll('|', '\\|')} |`
  )
  t.equal(
    marked('docs/configuration.md', 'accounts'),
    ['| Field | Meaning |', '|---|---|', ...rows].join('\n')
  )
  for (const name of Object.keys(ConfigSchema.properties)) {
    t.ok(
      read('docs/configuration.md').includes(`\`${name}\``) ||
        settings.some((setting) => setting.name === name),
      name
    )
  }
})

t.test('the README lists every command as the code has it', async (t) => {
  const rows = commands.map(
    ({ name, words, summary }) =>
      `| \`momock ${words === undefined ? name : `${name} ${words}`}\` | ${summary} |`
  )
  t.equal(
    marked('README.md', 'commands'),
    ['| Command | What it does |', '|---|---|', ...rows].join('\n')
  )
})

t.test('docs/configuration.md lists the exit codes as the code has them', async (t) => {
  const codes = ['0', '1', '2', '3', '4']
  const rows = commands.map((command) => {
    const texts = new Map(listExits(command))
    return `| \`${command.name}\` | ${codes.map((code) => texts.get(code) ?? '–').join(' | ')} |`
  })
  const head = [`| Command | ${codes.join(' | ')} |`, `|---|${'---|'.repeat(codes.length)}`]
  t.equal(marked('docs/configuration.md', 'exits'), [...head, ...rows].join('\n'))
})

t.test('docs/tls.md lists the languages of momock ca and what they set', async (t) => {
  const table = marked('docs/tls.md', 'trust') ?? ''
  const rows = [...table.matchAll(/^\| `(\w+)` \| ([^|]*) \|/gm)]
  t.same(
    rows.map(([, language]) => language),
    languages
  )
  for (const [, language, sets] of rows) {
    const lines = listTrustLines(language, authorityFiles('/tls')).join('\n')
    const variables = [...lines.matchAll(/^export (\w+)=/gm)].map(([, name]) => `\`${name}\``)
    t.equal(sets, variables.join(', '), language)
  }
  for (const host of serviceHosts) t.ok(read('docs/tls.md').includes(`\`${host}\``), host)
})

t.test('docs/assistants.md lists the tools as the code has them', async (t) => {
  const rows = tools.map(({ name, description, method, path, changes = false }) => {
    const [sentence] = description.split(/(?<=[.]) /)
    return `| \`${name}\`${changes ? ' (changes)' : ''} | \`${method} ${path}\` | ${sentence} |`
  })
  t.equal(
    marked('docs/assistants.md', 'tools'),
    ['| Tool | Call after `/__admin` | What it does |', '|---|---|---|', ...rows].join('\n')
  )
})

t.test('docs/README.md lists every page', async (t) => {
  for (const document of [...documents, ...translations].filter(
    (name) => name.startsWith('docs/') && name !== 'docs/README.md'
  )) {
    t.ok(read('docs/README.md').includes(`](${document.slice('docs/'.length)})`), document)
  }
})

t.test('links between the documents lead to files and headings that exist', async (t) => {
  for (const document of [...documents, ...translations]) {
    for (const [, link] of withoutCode(document).matchAll(/(?:\]\(|<img src=")([^)\s"]+)/g)) {
      if (link.startsWith('http')) continue
      const [path, heading] = link.split('#')
      const file = path === '' ? document : join(dirname(document), path)
      t.ok(existsSync(join(root, file)), `${document}: ${link}`)
      if (heading !== undefined) t.ok(anchorsOf(file).has(heading), `${document}: ${link}`)
    }
  }
})

t.test('every guarantee of the README links to an existing test', async (t) => {
  const [, section = ''] = /\n## Guarantees\n([^]*?)\n## /.exec(read('README.md')) ?? []
  const rows = section
    .split('\n')
    .filter((line) => /^\| [A-Z]/.test(line) && !/Guarantee/.test(line))
  t.not(rows.length, 0)
  for (const row of rows) {
    const links = [...row.matchAll(/\[([^\]]+)\]\((test\/[^)]+)\)/g)]
    t.ok(links.length > 0, row.split(' |')[0])
    for (const [, name, file] of links) {
      t.ok(existsSync(join(root, file)) && read(file).includes(name), `${file}: ${name}`)
    }
  }
})

t.test('paths and scripts that the documents name exist', async (t) => {
  const { scripts } = JSON.parse(read('package.json'))
  for (const document of documents) {
    const text = read(document)
    for (const [, path] of text.matchAll(
      /`((?:src|routes|simulator|db|test|bench|tools|docs|scenarios|examples)\/[\w./-]+\.\w+)`/g
    )) {
      t.ok(existsSync(join(root, path)), `${document}: ${path}`)
    }
    for (const [, script] of text.matchAll(/npm (?:run )?(start|test|bench|build)\b/g)) {
      t.ok(scripts[script], `${document}: npm ${script}`)
    }
  }
})

t.test('the limits of the decisions are those of the code', async (t) => {
  const text = read('docs/project/decisions.md')
  t.equal(bodyLimit, 1024 * 1024)
  t.match(text, 'A body over 1 MiB')
  t.match(text, `A list of 1 to ${bulkLimit}`)
})

t.test('scenarios/README.md lists every scenario', async (t) => {
  const { scenarios } = await loadScenarios([shippedFolder])
  const text = read('scenarios/README.md')
  for (const { name } of scenarios) {
    const [, description] = /^description: (.*)$/m.exec(read(`scenarios/${name}.yaml`)) ?? []
    t.ok(text.includes(`| \`${name}\` | ${description} |`), name)
  }
})

t.test('docs/scenarios.md explains every field', async (t) => {
  const text = read('docs/scenarios.md')
  const [, example] = /```yaml\n([\s\S]*?)```/.exec(text) ?? []
  const path = join(folder(t), 'example.yaml')
  writeFileSync(path, example)
  t.strictSame((await loadScenarios([[path]])).problems, [], 'the example is a good scenario')
  for (const field of [
    ...Object.keys(ScenarioSchema.properties),
    ...Object.keys(ScenarioSchema.properties.when.properties)
  ]) {
    t.ok(text.includes(field), field)
  }
})

t.test('docs/admin.md lists exactly the admin calls', async (t) => {
  const mock = await build(t)
  const { paths } = (await mock.call('GET', '/__admin/openapi.json')).body
  const calls = Object.entries<object>(paths)
    .filter(([path]) => path.startsWith('/__admin'))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
  const named = [
    ...read('docs/admin.md').matchAll(/`((?:GET|POST|PUT|DELETE|PATCH) \/__admin[^`]*)`/g)
  ].map(([, call]) => call)
  t.strictSame([...new Set(named)].sort(), calls.sort())
})

t.test('docs/testing.md uses existing methods', async (t) => {
  const methods = [...read('docs/testing.md').matchAll(/\b(?:mock|account)\.(\w+)\(/g)].map(
    ([, method]) => method
  )
  t.ok(methods.length > 20)
  t.same(
    methods.filter((method) => method !== 'close' && !(method in MomockClient.prototype)),
    []
  )
})

t.test('docs/testing.md has each call of a failure as it goes over HTTP', async (t) => {
  const [, table = ''] = /\n\| Failure \|.*\n.*\n([^]*?)\n\n/.exec(read('docs/testing.md')) ?? []
  const mock = await build(t)
  let sent: unknown
  const account = Object.assign(new MomockClient(mock.url, mock.config.token), {
    call: async (...call: unknown[]) => {
      sent = call
    }
  })
  const names = { account, id: 'ID', number: 'NUMBER' }
  const rows = [...table.matchAll(/\| `(account.*?)`.*\| `([A-Z]+) (\S+) (.*)` \|$/gm)]
  t.equal(rows.length, table.split('\n').length)
  for (const [, code, method, path, text] of rows) {
    const body = JSON.parse(text)
    runInNewContext(code, names)
    const [sentMethod, sentPath, sentBody] = JSON.parse(JSON.stringify(sent))
    t.same([sentMethod, sentPath], [method, path], code)
    // Scenarios have a shorter form of this one.
    if (!code.startsWith('account.fail(')) t.same(sentBody, body, code)
    if (/ID|NUMBER/.test(path)) continue
    const { status } = await mock.call(method, `/__admin${path}`, body)
    t.ok(status < 300, `${code} is accepted with ${status}`)
  }
})
