import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { patient, receiver } from '../support/helper.ts'

const program = fileURLToPath(new URL('./leftovers.ts', import.meta.url))

// Through `env`, because tap slips its own loader into every Node process that is started directly.
t.test('a program that closes its mocks ends by itself', async (t) => {
  const [merchant, hanging] = await Promise.all([receiver(t), patient(t)])
  const child = spawn(
    'env',
    ['-u', 'NODE_OPTIONS', process.execPath, program, merchant.url, hanging.url],
    { stdio: ['ignore', 'pipe', 'pipe'] }
  )
  t.teardown(() => {
    child.kill('SIGKILL')
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit')
  ])
  t.same({ code, stderr }, { code: 0, stderr: '' })
  const { closed, left } = JSON.parse(stdout)
  t.ok(closed >= 9)
  t.same(left, [], 'no socket, no timer')
  t.ok(merchant.received.length > 0)
  t.equal((await hanging.next()).body.status, 'COMPLETED')
})
