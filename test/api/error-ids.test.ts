import t from 'tap'
import { build } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** Requests that v1 answers with an error, in any order. */
const failing = Array.from({ length: 30 }, (_, n) => `{"depositId": ${n}`)

async function collect (
  call: Awaited<ReturnType<typeof build>>['call'],
  bodies: string[]
): Promise<Record<string, string>> {
  const answers = await Promise.all(
    bodies.map(async (body) => [body, (await call('POST', '/deposits', body)).body.errorId])
  )
  return Object.fromEntries(answers)
}

t.test('an errorId follows from the request, not from the order of arrival', async (t) => {
  const [one, other] = [await build(t), await build(t)]
  const ids = await collect(one.call, failing)
  t.strictSame(await collect(other.call, failing.toReversed()), ids)
  t.equal(new Set(Object.values(ids)).size, failing.length, 'other requests have other errorIds')
})

t.test('a repeated request has another errorId, until the account is reset', async (t) => {
  const { call } = await openSandbox(t)
  const fail = async () => (await call('POST', '/deposits', '{')).body.errorId
  const [first, second] = [await fail(), await fail()]
  t.not(first, second)
  await call('POST', '/__admin/snapshots', { name: 'two' })
  const third = await fail()
  await call('POST', '/__admin/snapshots/two/restore')
  t.equal(await fail(), third)
  await call('POST', '/__admin/reset', {})
  t.strictSame([await fail(), await fail(), await fail()], [first, second, third])
})

t.test('an errorId depends on the account', async (t) => {
  const { call } = await build(t)
  const fail = async (token: string) =>
    (await call('POST', '/deposits', '{', { authorization: `Bearer ${token}` })).body.errorId
  t.not(await fail('sandbox-one'), await fail('sandbox-other'))
})
