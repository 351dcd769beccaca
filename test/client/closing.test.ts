import { fileURLToPath } from 'node:url'
import t from 'tap'
import { long } from '../support/full.ts'
import { patient, receiver } from '../support/helper.ts'
import { startProgram } from '../support/program.ts'

const program = fileURLToPath(new URL('./leftovers.ts', import.meta.url))

// Through `env`, because tap slips its own loader into every Node process that is started directly.
t.test('a program that closes its mocks ends by itself', long, async (t) => {
  const [merchant, hanging] = await Promise.all([receiver(t), patient(t)])
  const { code, stdout, stderr } = await startProgram(t, [
    'env',
    '-u',
    'NODE_OPTIONS',
    process.execPath,
    program,
    merchant.url,
    hanging.url
  ]).end()
  t.same({ code, stderr }, { code: 0, stderr: '' })
  const { closed, left } = JSON.parse(stdout)
  t.ok(closed >= 9)
  t.same(left, [], 'no socket, no timer')
  t.ok(merchant.received.length > 0)
  t.equal((await hanging.next()).body.status, 'COMPLETED')
})
