import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DockerfileParser, type Instruction } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import t from 'tap'
import { parse } from 'yaml'
import { settings } from '../../src/config/config.ts'
import { serviceHosts } from '../../src/domain/service-hosts.ts'
import { listComposeProblems, type Compose } from '../support/compose.ts'
import { folder } from '../support/helper.ts'
import { command } from '../support/process.ts'

/** The image and the compose file, without an engine: what they promise is read from them. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const base = 'node:24-bookworm-slim'
const bin: string = JSON.parse(read('package.json')).bin.momock

interface Image {
  text: string
  instructions: Instruction[]
  /** Instructions of the stage that becomes the image. */
  last: Instruction[]
}

function imageOf (text: string): Image {
  const instructions = DockerfileParser.parse(text).getInstructions()
  const start = instructions.findLastIndex((instruction) => instruction.getKeyword() === 'FROM')
  return { text, instructions, last: instructions.slice(start) }
}

function contents (instructions: Instruction[], keyword: string): string[] {
  return instructions
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getTextContent().slice(keyword.length).trim())
}

/** The words of an instruction in its exec form; nothing, if it is in another. */
function exec (text: string | undefined): string[] | undefined {
  try {
    return JSON.parse(/\[.*\]$/s.exec(text ?? '')?.[0] ?? '')
  } catch {
    return undefined
  }
}

/** Properties of the image. */
const promises: Array<[promise: string, holds: (image: Image) => boolean]> = [
  [
    'the linter has nothing to say',
    ({ text }) => validate(text).length === 0
  ],
  [
    'every stage begins with the same small image',
    ({ instructions }) =>
      contents(instructions, 'FROM').every((from) => from.split(' ')[0] === base)
  ],
  [
    'it is made in stages',
    ({ instructions }) => contents(instructions, 'FROM').length >= 2
  ],
  [
    'no syntax line, for old engines',
    ({ text }) => !/^#\s*syntax\s*=/im.test(text)
  ],
  [
    'no here-documents, for the same',
    ({ text }) => !text.includes('<<')
  ],
  [
    'what is installed for it is what runs, and no script is run for it',
    ({ instructions }) =>
      contents(instructions, 'RUN').some((run) =>
        /^npm ci --omit=dev --ignore-scripts\b/.test(run)
      )
  ],
  [
    'nothing is installed with scripts',
    ({ instructions }) =>
      contents(instructions, 'RUN')
        .filter((run) => run.includes('npm ci'))
        .every((run) => run.includes('--ignore-scripts'))
  ],
  [
    'no compiler and no other package',
    ({ instructions }) =>
      !contents(instructions, 'RUN').some((run) =>
        /\b(apt(-get)?|apk|gcc|g\+\+|make|python3?)\b/.test(run)
      )
  ],
  [
    'the dependencies come from the stage that has no others',
    ({ last }) =>
      contents(last, 'COPY').some((copy) =>
        /^--from=dependencies \/app\/node_modules\b/.test(copy)
      )
  ],
  [
    'it does not run as root',
    ({ last }) => contents(last, 'USER').at(-1) === 'node'
  ],
  [
    'data has a volume',
    ({ last }) => contents(last, 'VOLUME').includes('/data')
  ],
  [
    'the certificate authority has a volume',
    ({ last }) =>
      contents(last, 'VOLUME').includes('/tls') &&
      contents(last, 'ENV').join(' ').includes('MOMOCK_TLS_DIR=/tls')
  ],
  [
    'which that user may write',
    ({ last }) => contents(last, 'RUN').some((run) => run.includes('chown node:node /data /tls'))
  ],
  [
    'the port',
    ({ last }) => contents(last, 'EXPOSE').join() === '7070'
  ],
  [
    'the signal that ends it',
    ({ last }) => contents(last, 'STOPSIGNAL').join() === 'SIGTERM'
  ],
  [
    'it listens to the outside',
    ({ last }) => contents(last, 'ENV').join(' ').includes('MOMOCK_HOST=0.0.0.0')
  ],
  [
    'the program has its name',
    ({ last }) =>
      contents(last, 'RUN').some(
        (run) =>
          run.includes(`chmod +x ${bin}`) && run.includes(`ln -s /app/${bin} /usr/local/bin/momock`)
      )
  ],
  [
    'the program is started without a shell',
    ({ last }) => exec(contents(last, 'ENTRYPOINT')[0])?.join(' ') === 'momock'
  ],
  [
    'it asks itself whether it is healthy, without a shell',
    ({ last }) => exec(contents(last, 'HEALTHCHECK')[0])?.join(' ') === 'momock healthcheck'
  ],
  [
    'with no option that old engines lack',
    ({ last }) => !contents(last, 'HEALTHCHECK').join().includes('start-interval')
  ],
  [
    'its variables are ours',
    ({ last }) =>
      [
        ...contents(last, 'ENV')
          .join(' ')
          .matchAll(/\b(MOMOCK_\w+)=/g)
      ].every(([, name]) => settings.some(({ variable }) => variable === name))
  ],
  [
    'what the pages load comes along',
    ({ last }) => contents(last, 'COPY').includes('routes/assets routes/assets')
  ],
  [
    'the code that the exam shows for a language',
    ({ last }) => contents(last, 'COPY').includes('examples examples')
  ],
  [
    'the guide',
    ({ last }) => contents(last, 'COPY').includes('docs docs')
  ],
  [
    'what it copies is there, and is not ignored',
    ({ instructions }) =>
      copied(instructions).every((path) => existsSync(join(root, path)) && !ignored(path))
  ]
]

/** Files that are copied from the folder of the project. */
function copied (instructions: Instruction[]): string[] {
  return contents(instructions, 'COPY')
    .filter((copy) => !copy.startsWith('--from'))
    .flatMap((copy) => copy.split(/\s+/).slice(0, -1))
}

/** Our file lets in what it names, and nothing else. */
function ignored (path: string): boolean {
  return !read('.dockerignore')
    .split('\n')
    .includes(`!${path.split('/')[0]}`)
}

const image = imageOf(read('Dockerfile'))
for (const [promise, holds] of promises) {
  t.test(`the image: ${promise}`, async (t) => {
    t.ok(holds(image))
  })
}

t.test('SQLite needs no compiler on either kind of machine', async (t) => {
  for (const name of ['linux-x64', 'linux-arm64']) {
    t.ok(existsSync(join(root, `node_modules/better-sqlite3/prebuilds/${name}.node`)), name)
  }
})

t.test('the compose file is valid', async (t) => {
  const file = read('docker-compose.yml')
  t.same(listComposeProblems(file), [])
  const { momock, merchant }: Compose['services'] = parse(file).services
  t.same(momock.healthcheck?.test, ['CMD', 'momock', 'healthcheck'])
  t.match(momock, { extra_hosts: ['host.docker.internal:host-gateway'], volumes: ['momock:/data'] })
  t.notOk('profiles' in momock, 'the mock is always there')
  t.same(merchant.profiles, ['demo'], 'the shop when it is asked for')
  for (const path of [
    merchant.entrypoint?.[1] ?? '',
    /:-([^}]*)\}$/.exec(momock.environment.MOMOCK_CONFIG)?.[1] ?? ''
  ]) {
    t.ok(existsSync(path.replace('/app', root)), path)
  }
})

t.test('the compose file of the HTTPS example is valid', async (t) => {
  const path = 'examples/compose-tls/docker-compose.yml'
  const file = read(path)
  t.same(listComposeProblems(file), [])
  const { momock, client }: Compose['services'] = parse(file).services
  t.ok(existsSync(join(root, path, '..', momock.build ?? '', 'Dockerfile')))
  const { MOMOCK_TLS_PORT: port, MOMOCK_CHECKOUT_URL: checkout } = momock.environment
  t.equal(port, '443', 'clients cannot choose the port')
  const aliases = momock.networks?.default.aliases ?? []
  for (const alias of aliases) t.ok(serviceHosts.includes(alias), alias)
  t.ok(aliases.includes(new URL(checkout).host), 'its links lead to an alias')
  t.ok(client.volumes.includes('tls:/tls:ro'), 'the client reads the certificate')
  t.ok(existsSync(join(root, path, '..', client.entrypoint?.[1] ?? '')))
  const program = read('examples/compose-tls/client.mjs')
  for (const [, host] of program.matchAll(/https:\/\/([\w.]+\.pawapay\.io)/g)) {
    t.ok(aliases.includes(host), `${host} is an alias`)
  }
  const unhealthy = file.replace(/ {4}healthcheck:[^]*?start_period: 30s\n/, '')
  t.match(listComposeProblems(unhealthy).join(), /client waits for the health of momock/)
})

/** Mistakes that the check must find. */
const slips: Array<[what: string, change: [string, string], said: RegExp]> = [
  ['a misspelt key', ['healthcheck:', 'healtcheck:'], /additional properties/],
  [
    'an option that old engines refuse',
    ['interval: 2s', 'start_interval: 500ms'],
    /additional properties/
  ],
  ['a port for everybody', ['"127.0.0.1:', '"0.0.0.0:'], /ports\/0 must match/],
  [
    'a variable that we do not have',
    ['MOMOCK_PUBLIC_URL:', 'MOMOCK_PUBLIC_URI:'],
    /MOMOCK_PUBLIC_URI is not/
  ],
  ['a volume that is not declared', ['- momock:/data', '- ledger:/data'], /volume of ledger:/],
  [
    'a service that is not there',
    ['      momock:\n        condition', '      mock:\n        condition'],
    /needs mock,/
  ],
  ['a key twice', ['    read_only: true', '    read_only: true\n    read_only: true'], /unique/]
]

t.test('the check of the compose file finds mistakes', async (t) => {
  const file = read('docker-compose.yml')
  for (const [what, [from, to], said] of slips) {
    t.ok(file.includes(from), what)
    t.match(listComposeProblems(file.replace(from, to)).join('\n'), said, what)
  }
})

t.test('the compose file of momock init is valid', async (t) => {
  const cwd = folder(t)
  const [file, ...args] = command(['init', cwd])
  execFileSync(file, args)
  const text = readFileSync(join(cwd, 'docker-compose.momock.yml'), 'utf8')
  t.same(listComposeProblems(text), [])
  t.match(text, /^# The image is not published\. Build it first.*\n# +docker (compose|build) /)
  const { momock }: Compose['services'] = parse(text).services
  t.ok(
    existsSync(join(cwd, momock.build ?? '', 'Dockerfile')),
    'it says what the image is made from'
  )
  const mounted = momock.volumes
    .filter((volume) => volume.startsWith('./'))
    .map((volume) => volume.split(':'))
  for (const [path, inside] of mounted) {
    t.ok(existsSync(join(cwd, path)), `${path} is there`)
    t.equal(inside, join(momock.working_dir ?? '', path), 'and is found where it works')
  }
  t.same(
    mounted.map(([path]) => path),
    ['./momock.yaml', './scenarios'],
    'what was written is what it runs with'
  )
})
