import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { explainCallback } from '../../src/security/explanation.ts'
import { verifyingKeys } from '../../src/security/keys.ts'
import type { Vector } from '../../src/vectors/vectors.ts'
import { runCommand } from '../support/command-runner.ts'
import { checkCallback, folder } from '../support/helper.ts'
import { root } from './markdown.ts'

/** `momock vectors`, the folder examples/vectors, and the tests of examples/verify that read it. */

const sh = promisify(execFile)
const shipped = join(root, 'examples/vectors')

const readFolder = (path: string): Record<string, string> =>
  Object.fromEntries(
    globSync('*.json', { cwd: path })
      .sort()
      .map((name) => [name, readFileSync(join(path, name), 'utf8')])
  )

const vectors = Object.values(readFolder(shipped)).map((text): Vector => JSON.parse(text))

t.test('momock vectors writes the files of examples/vectors, byte for byte', async (t) => {
  const cwd = folder(t)
  const { code, stdout } = await runCommand(t, ['vectors', 'made'], { cwd })
  t.equal(code, 0)
  t.equal(
    stdout,
    'wrote 65 vectors to made/: 29 to accept, 35 to refuse, 1 that may be either\n'
  )
  const made = readFolder(join(cwd, 'made'))
  t.strictSame(Object.keys(made), Object.keys(readFolder(shipped)))
  for (const [name, text] of Object.entries(readFolder(shipped))) t.equal(made[name], text, name)
})

t.test('another seed makes other keys, another time other signatures', async (t) => {
  const cwd = folder(t)
  await runCommand(t, ['vectors', '--seed', 'shop', '--time', '2027-01-01T00:00:00Z'], { cwd })
  const [made] = Object.values(readFolder(join(cwd, 'vectors'))).map((text) => JSON.parse(text))
  const original = vectors.find(({ name }) => name === made.name)!
  t.not(made.keys[0].key, original.keys[0].key)
  t.equal(made.time - Date.parse('2027-01-01T00:00:00Z') / 1000,
    original.time - Date.parse('2026-01-31T12:00:00Z') / 1000)
})

const mistakes: Array<[args: string[], message: RegExp, code: number]> = [
  [['one', 'two'], /name one folder: momock vectors \[FOLDER\]/, 2],
  [['--time', 'yesterday'], /--time must be a time such as 2026-01-31T12:00:00Z/, 2],
  [['--seed', ''], /--seed/, 2],
  [['file/vectors'], /file\/vectors cannot be written \(E/, 1]
]
for (const [args, message, code] of mistakes) {
  t.test(`momock vectors ${args.join(' ')} is refused`, async (t) => {
    const cwd = folder(t)
    writeFileSync(join(cwd, 'file'), '')
    const result = await runCommand(t, ['vectors', ...args], { cwd })
    t.match(result.stderr, message)
    t.equal(result.code, code)
    t.strictSame(readdirSync(cwd), ['file'])
  })
}

t.test('the mock decides as the vectors say', async (t) => {
  for (const { name, decision, keys, time, body, headers, method, url: target } of vectors) {
    const message = { method, target, scheme: 'https', authority: headers.host, headers } as const
    const terms = { keys: verifyingKeys(keys), now: time * 1000, encoding: 'both' } as const
    const { valid, problems } = explainCallback(message, Buffer.from(body, 'base64'), terms)
    if (decision !== 'either') t.equal(valid, decision === 'accept', `${name}: ${problems.join()}`)
  }
})

t.test('the bodies of genuine vectors are documented callbacks', async (t) => {
  for (const { name, decision, body } of vectors) {
    if (decision !== 'accept' || name === 'unknown-fields') continue
    await checkCallback(t, JSON.parse(Buffer.from(body, 'base64').toString()))
  }
})

t.test('a vector that repeats another has the same body', async (t) => {
  const repeats = vectors.filter(({ repeats }) => repeats !== undefined)
  t.equal(repeats.length, 2)
  for (const { repeats: name, body } of repeats) {
    t.equal(vectors.find((vector) => vector.name === name)?.body, body)
  }
})

/** Test of a language: what shows that it is there, and what runs it in a copy of the folders. */
interface Language {
  name: string
  probe: string[]
  steps: string[][]
}

const languages: Language[] = [
  {
    name: 'Node',
    probe: [process.execPath, '--version'],
    steps: [[process.execPath, '--test', 'vectors.test.mjs']]
  },
  {
    name: 'Python',
    probe: ['python3', '-c', 'import cryptography'],
    steps: [['python3', '-B', 'vectors_test.py']]
  },
  {
    name: 'PHP',
    probe: ['php', '-r', 'exit(extension_loaded("openssl") ? 0 : 1);'],
    steps: [['php', 'vectors_test.php']]
  },
  {
    name: 'Go',
    probe: ['go', 'version'],
    steps: [['go', 'test', '-v', 'verify.go', 'vectors_test.go']]
  },
  {
    name: 'Java',
    probe: ['javac', '-version'],
    steps: [['javac', 'Verify.java', 'VectorsTest.java'], ['java', 'VectorsTest']]
  }
]

const works = async (program: string, args: string[]): Promise<boolean> =>
  await sh(program, args).then(() => true, () => false)

/** Some machines have two Pythons, and one has the package. */
async function findProgram (program: string, args: string[]): Promise<string | undefined> {
  for (const candidate of [program, `/usr/bin/${program}`]) {
    if (await works(candidate, args)) return candidate
  }
}

/** Runs the steps in a copy of examples/verify, next to these vectors. */
async function runTest (
  t: Test,
  { name, steps }: Language,
  program: string,
  files: Record<string, string>
): Promise<{ passed: boolean; output: string }> {
  const home = folder(t)
  cpSync(join(root, 'examples/verify'), join(home, 'verify'), { recursive: true })
  mkdirSync(join(home, 'vectors'))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(home, 'vectors', file), text)
  // Go compiles its own library the first time.
  const GOCACHE = join(root, 'node_modules/.cache/go')
  // A test of Node inside a test of Node is otherwise skipped.
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env
  let output = ''
  for (const [first, ...args] of steps) {
    const at = { cwd: join(home, 'verify'), env: { ...env, GOCACHE } }
    const result = await sh(name === 'Python' ? program : first, args, at).catch(
      (error: { stdout: string; stderr: string }) => ({ ...error, failed: true })
    )
    output += result.stdout + result.stderr
    if ('failed' in result) return { passed: false, output }
  }
  return { passed: !output.includes('not ok'), output }
}

/** Turns the decision of one vector around: a test that still passes tests nothing. */
function turn (files: Record<string, string>, name: string): Record<string, string> {
  const file = `${name}.json`
  const turned = files[file].replace(/"decision": "(accept|refuse)"/, (_, decision) =>
    `"decision": "${decision === 'accept' ? 'refuse' : 'accept'}"`
  )
  return { [file]: turned }
}

for (const language of languages) {
  t.test(`${language.name}: examples/verify decides as the vectors say`, async (t) => {
    const program = await findProgram(language.probe[0], language.probe.slice(1))
    if (program === undefined && process.env.SAMPLE_TESTS !== 'required') {
      t.pass(`there is no ${language.name} here, so it was not run`)
      return
    }
    const files = readFolder(shipped)
    const { passed, output } = await runTest(t, language, program!, files)
    t.ok(passed, output.slice(-2000))
    for (const name of ['deposit', 'tampered']) {
      const turned = await runTest(t, language, program!, turn(files, name))
      t.notOk(turned.passed, `a wrong decision about ${name} is found`)
    }
  })
}
