import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readOptions } from '../support/options.ts'
import { seededRandom, type Random } from '../support/random.ts'
import { faults } from './faults/run.ts'
import { mutants } from './mutants/table.ts'

/**
 * `npm run test:night -- --minutes N --seed S`: the harnesses in turn, each time with another seed,
 * until the time is over. The last runs end a little later. It prints the command that repeats each
 * failure.
 */

/** Limit of a run: each takes a minute or less on a quiet machine. */
const runLimitMs = 20 * 60_000

/** Lines of a failed run that are printed. */
const shownLines = 30

/** Arguments of a run of each harness, whose script is `test:NAME`, and tests that measure. */
const harnesses: Record<string, (random: Random) => string[]> = {
  model: (random) => ['--runs', '60', '--longest', '40', ...seedOf(random)],
  fuzz: (random) => ['--requests', '15', ...seedOf(random)],
  crash: (random) => ['--rounds', '4', '--losses', '4', ...seedOf(random)],
  faults: (random) => [random.pick(Object.keys(faults))],
  mutants: (random) => [random.pick(mutants).name],
  stryker: (random) => ['--windows', '3', ...seedOf(random)],
  measures: () => []
}

function seedOf (random: Random): string[] {
  return ['--seed', String(random.integer(0, 2 ** 31 - 1))]
}

const { minutes, seed } = readOptions({ minutes: 60 })
const random = seededRandom(seed)
const end = Date.now() + minutes * 60_000
const commands: string[] = []
let runs = 0
while (Date.now() < end) {
  const names = Object.keys(harnesses)
  const name = names[runs++ % names.length]
  const args = harnesses[name](random)
  const words = ['run', `test:${name}`, '--', ...args]
  const command = ['npm', ...words.map(quote)].join(' ')
  const began = Date.now()
  const { isOk, text } = await run(words)
  const seconds = Math.round((Date.now() - began) / 1000)
  console.log(`${isOk ? 'ok' : 'not ok'} ${command} (${seconds} s)`)
  if (isOk) continue
  commands.push(command)
  for (const line of text.trimEnd().split('\n').slice(-shownLines)) console.log(`    ${line}`)
}
console.log(`${commands.length} of ${runs} runs failed${commands.length > 0 ? ':' : ''}`)
for (const command of commands) console.log(command)
process.exitCode = commands.length === 0 ? 0 : 1

/** Runs a harness. One that does not end has failed, and is killed with the servers it started. */
async function run (words: string[]): Promise<{ isOk: boolean; text: string }> {
  const child = spawn('npm', words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  }
  const limit = setTimeout(() => {
    text += `\nit did not end in ${runLimitMs / 60_000} minutes`
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, runLimitMs)
  const [code] = await once(child, 'close')
  clearTimeout(limit)
  return { isOk: code === 0, text }
}

function quote (arg: string): string {
  return arg.includes(' ') ? `'${arg}'` : arg
}
