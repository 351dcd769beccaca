import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { findBuiltProgram } from '../support/built-program.ts'
import { long } from '../support/full.ts'
import { folder, until } from '../support/helper.ts'
import { freePort } from '../support/ports.ts'
import { root } from './markdown.ts'

/** Composite actions for GitHub: their commands run with a real server. */

interface Step {
  if?: string
  run?: string
  shell?: string
  uses?: string
  env?: Record<string, string>
}

function readSteps (name: string, inputs: Record<string, string>): Step[] {
  const path = join(root, 'examples/github-action', name, 'action.yml')
  const { inputs: known, runs } = parse(readFileSync(path, 'utf8'))
  t.equal(runs.using, 'composite')
  return runs.steps.map((step: Step) => ({
    ...step,
    env: Object.fromEntries(
      Object.entries(step.env ?? {}).map(([variable, value]) => [
        variable,
        value.replace(/\$\{\{ inputs\.(\w+) \}\}/g, (_, key) => inputs[key] ?? known[key].default)
      ])
    )
  }))
}

t.test('the actions start a mock and report about it', long, async (t) => {
  const cwd = folder(t)
  const port = String(await freePort())
  const command = `${process.execPath} ${findBuiltProgram()}`
  const inputs = { command, port, url: `http://127.0.0.1:${port}` }
  const env = {
    PATH: process.env.PATH ?? '',
    RUNNER_TEMP: cwd,
    GITHUB_ACTIONS: 'true',
    MOMOCK_ADMIN_TOKEN: 'secret'
  }
  const summary = { GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') }
  const run = ({ run = '', env: own }: Step) =>
    spawnSync('bash', ['-e', '-c', run], {
      cwd,
      env: { ...env, ...summary, ...own },
      encoding: 'utf8'
    })
  writeFileSync(join(cwd, 'expectations.yaml'), 'expectations:\n  - { request: {}, count: 0 }\n')
  for (const step of readSteps('start', inputs)) t.equal(run(step).status, 0)
  const pid = Number(readFileSync(join(cwd, 'momock.pid'), 'utf8'))
  t.teardown(() => {
    if (isRunning(pid)) process.kill(pid)
  })
  const [first, ...others] = readSteps('report', inputs)
  t.ok(others.every((step) => step.if === 'always()'), 'no step is left out after another fails')
  for (const step of [first, ...others].filter((step) => step.run !== undefined)) {
    t.match(run(step), { status: 0 }, step.run ?? '')
  }
  const files = execFileSync('tar', ['-tzf', join(cwd, 'momock-bundle.tar.gz')], {
    encoding: 'utf8'
  })
  t.match(files, /momock-bundle\/payments\.jsonl/)
  t.match(
    readFileSync(join(cwd, 'summary.md'), 'utf8'),
    /## momock verify[\s\S]*## momock coverage/
  )
  await until(
    async () => isRunning(pid),
    (running) => !running
  )
  t.pass('the last step stops the mock')
})

function isRunning (pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
