import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { validateFiles } from '../../src/cli/validation.ts'
import { requests } from '../support/examples.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** POST /__admin/scenarios/check: problems of a scenario, and the payments that it matches. */

const folder = mkdtempSync(join(tmpdir(), 'momock-check-'))

t.test('the problems are those of momock validate', async (t) => {
  const { call } = await openSandbox(t)
  for (const text of [
    'script: [',
    'scrip: phone',
    'when: { kind: gift }\ntimes: 0',
    'when:\n  provider: MTN_MOMO_ZMBX\n  country: KEN\nreject: NOPE',
    'script:\n  - { after: 1s, to: COMPLETED }\n  - { after: 1s, to: PROCESSING }',
    'a: 1\n---\nb: 2',
    'when: *nothing',
    'just a text',
    'when: { correspondent: MTN_MOMO_ZMB }\nscript: phone',
    'when: { kind: deposit }\nscript: phone'
  ]) {
    const path = join(folder, 'scenario.yaml')
    writeFileSync(path, text)
    const { problems, notes } = await validateFiles([path])
    const { body } = await call('POST', '/__admin/scenarios/check', { text })
    const found = body.problems.map(
      ({ line, message }: { line?: number; message: string }) =>
        `${path}${line === undefined ? '' : `:${line}`}: ${message}`
    )
    t.strictSame(found, problems, text)
    t.strictSame(
      body.notes.map((note: string) => `${path}: ${note}`),
      notes
    )
    t.equal(body.valid, problems.length === 0)
  }
})

t.test('a valid scenario shows the payments that it would have matched', async (t) => {
  const { call } = await openSandbox(t)
  const deposit = requests.v2.deposit!()
  await call('POST', '/v2/deposits', deposit)
  await call('POST', '/v2/deposits', { ...requests.v2.deposit!(), amount: '99' })
  await call('POST', '/v2/payouts', requests.v2.payout!())
  const text = 'when: { kind: deposit, amount: { to: 50 } }\nreject: INVALID_CURRENCY'
  t.match((await call('POST', '/__admin/scenarios/check', { text })).body, {
    valid: true,
    affected: { compared: 3, matching: 1, payments: [{ id: deposit.depositId }] }
  })
  t.strictSame((await call('GET', '/__admin/scenarios')).body.scenarios, [], 'nothing is added')
})

t.test('a text that is missing or too long is refused', async (t) => {
  const { call } = await openSandbox(t)
  for (const body of [{}, { text: 'a'.repeat(20_001) }]) {
    t.match(await call('POST', '/__admin/scenarios/check', body), {
      status: 400,
      body: { error: { message: /text/ } }
    })
  }
})
