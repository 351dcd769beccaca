import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { but, requests } from '../support/examples.ts'
import { folder, until } from '../support/helper.ts'
import { serve, type Running } from '../support/process.ts'

/** `momock start --watch`: files that change while the server runs. */

const scenario = (code: string): string =>
  `when: { kind: deposit }\nreject: ${code}\n`

async function watched (
  t: Test,
  config = 'scenarios: scenarios\n'
): Promise<{ mock: Running; cwd: string }> {
  const cwd = folder(t)
  mkdirSync(join(cwd, 'scenarios'))
  writeFileSync(join(cwd, 'momock.yaml'), config)
  writeFileSync(join(cwd, 'scenarios/shop.yaml'), scenario('INVALID_AMOUNT'))
  const mock = await serve(t, ['--watch', '--log-format', 'json'], { cwd })
  return { mock, cwd }
}

const pay = async ({ call, ready }: Running, token = ready.token): Promise<string> => {
  const request = but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', '260763459993')
  const { body } = await call('POST', '/v2/deposits', request, token)
  return body.failureReason?.failureCode ?? body.status
}

const warns = async ({ ready }: Running): Promise<string> => {
  const page = await fetch(`${ready.url}/__admin/ui`, { headers: { accept: 'text/html' } })
  return await page.text()
}

t.test('a scenario that changes takes effect, and payments stay', async (t) => {
  const { mock, cwd } = await watched(t)
  t.equal(await pay(mock), 'INVALID_AMOUNT')
  writeFileSync(join(cwd, 'scenarios/shop.yaml'), scenario('INVALID_PHONE_NUMBER'))
  await until(() => pay(mock), (code) => code === 'INVALID_PHONE_NUMBER')
  rmSync(join(cwd, 'scenarios/shop.yaml'))
  await until(() => pay(mock), (code) => code === 'ACCEPTED')
  t.match(mock.output(), /the scenarios were read again: there are \d+/)
  const { payments } = (await mock.call('GET', '/__admin/payments')).body
  t.ok(payments.length > 0)
})

t.test('a wrong scenario keeps the last good one, and says so until it is right', async (t) => {
  const { mock, cwd } = await watched(t)
  writeFileSync(join(cwd, 'scenarios/shop.yaml'), 'rejekt: 1\n')
  await until(async () => mock.output(), (text) => text.includes('what was valid stays in use'))
  t.match(mock.output(), /shop\.yaml.*rejekt/)
  t.equal(await pay(mock), 'INVALID_AMOUNT')
  t.match(await warns(mock), /Warning: a changed file is wrong.*shop\.yaml/)
  writeFileSync(join(cwd, 'scenarios/shop.yaml'), scenario('INVALID_PHONE_NUMBER'))
  await until(() => pay(mock), (code) => code === 'INVALID_PHONE_NUMBER')
  t.notMatch(await warns(mock), /a changed file is wrong/)
})

t.test('a configuration that changes starts the server again at its address', async (t) => {
  const { mock, cwd } = await watched(t)
  writeFileSync(
    join(cwd, 'momock.yaml'),
    'scenarios: scenarios\naccounts: [{ name: new, tokens: [{ token: new-token }] }]\n'
  )
  const code = await until(
    () => pay(mock, 'new-token').catch(() => 'not there'),
    (code) => code === 'INVALID_AMOUNT'
  )
  t.equal(code, 'INVALID_AMOUNT')
  t.match(mock.output(), /the configuration has changed: the server starts again/)
  t.equal((await mock.stop('SIGTERM')).code, 0)
})

const wrong: Array<[what: string, text: string, message: RegExp]> = [
  ['is no YAML', 'scenarios: [', /momock\.yaml/],
  ['has an unknown setting', 'scenaros: scenarios', /scenaros/],
  ['names a folder that is not there', 'scenarios: nowhere', /there is no folder/]
]
for (const [what, text, message] of wrong) {
  t.test(`a configuration that ${what} changes nothing, and is reported`, async (t) => {
    const { mock, cwd } = await watched(t)
    writeFileSync(join(cwd, 'momock.yaml'), text)
    await until(async () => mock.output(), (output) => output.includes('stays in use'))
    t.match(mock.output(), message)
    t.match(await warns(mock), /Warning: a changed file is wrong/)
    t.equal(await pay(mock), 'INVALID_AMOUNT')
    writeFileSync(join(cwd, 'momock.yaml'), 'scenarios: scenarios\n')
    await until(() => warns(mock), (page) => !page.includes('a changed file is wrong'))
  })
}
