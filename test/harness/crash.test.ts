import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { isFull, long } from '../support/full.ts'
import { runPowerLosses } from './crash/power-loss.ts'
import { runCrashRounds } from './crash/rounds.ts'
import { runWholeAccountRounds } from './crash/whole-accounts.ts'
import { gateSeed } from '../support/random.ts'

/** A short run of `npm run test:crash`. */

const folder = mkdtempSync(join(tmpdir(), 'momock-crash-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const rounds = isFull ? 2 : 1
const losses = 3
const report = (line: string): void => t.comment(line)

t.test('what was answered survives SIGKILL and SIGTERM, once and unchanged', async (t) => {
  const seed = gateSeed
  t.comment(`npm run test:crash -- --rounds ${rounds} --losses 0 --seed ${seed}`)
  const { accepted, problems } = await runCrashRounds({ rounds, seed, folder, report })
  t.ok(accepted > 0, `${accepted} payments were accepted`)
  t.strictSame(problems, [])
})

t.test('work on a whole account is done or not done after a kill', long, async (t) => {
  const seed = gateSeed
  const db = join(folder, 'accounts.db')
  t.comment(`npm run test:crash:accounts -- --rounds 1 --seed ${seed}`)
  t.strictSame(await runWholeAccountRounds({ rounds: 1, seed, db, report }), [])
})

t.test('what was answered survives a loss of power', long, async (t) => {
  const seed = gateSeed
  t.comment(`npm run test:crash -- --rounds 0 --losses ${losses} --seed ${seed}`)
  const { told, problems, skipped } = await runPowerLosses({
    losses,
    seed,
    folder,
    report,
    payments: 60
  })
  if (skipped !== undefined && process.env.POWER_LOSS_TESTS !== 'required') {
    return t.pass('a loss of power', { skip: skipped })
  }
  t.equal(skipped, undefined)
  t.ok(told > 0, `the client had been told of ${told} payments`)
  t.strictSame(problems, [])
})
