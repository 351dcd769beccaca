import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { createMomock, MomockClient, type Momock } from '../../src/index.ts'
import { folder } from '../support/helper.ts'
import { slow } from '../support/limits.ts'
import { read } from './markdown.ts'

/**
 * The page "I want to …": each row is done three times, by test code, over HTTP and by a scenario
 * file. What decides later payments has the same effect all three times, and another one than
 * nothing; of other rows, the test code sends what the row shows as HTTP.
 */

interface Row {
  wish: string
  code: string
  method: string
  path: string
  body?: unknown
  file?: string
}

/** The rows of all tables; a column that is no command is empty. */
const rows = read('docs/i-want-to.md')
  .split('\n')
  .filter((line) => /^\| (?!I want|…)/.test(line))
  .map((line): Row => {
    const [wish, code, http, file] = line.slice(2, -2).split(' | ')
    const [, method, path, body] = /^`([A-Z]+) (\S+)(?: (.*))?`/.exec(http) ?? []
    return {
      wish,
      code: code.slice(1, -1),
      method,
      path,
      ...(body !== undefined && { body: JSON.parse(body) }),
      ...(file !== '–' && { file: file.slice(1, -1) })
    }
  })

const mock = await createMomock({ clock: 'frozen' })
t.teardown(() => mock.close())
let accounts = 0
/** Test numbers come before scenario files, so this is none. */
const plainNumber = '260763459993'

/** An account whose callbacks go to a sink. */
async function openAccount (server: Momock): Promise<MomockClient> {
  const account = server.as(`sandbox-want-${++accounts}`)
  await account.configure({ callbacks: `${server.url}/__admin/sink/shop` })
  return account
}

/** What becomes of some payments: answers, ends and callbacks, without identifiers. */
async function observe (account: MomockClient): Promise<unknown> {
  const answers: unknown[] = []
  const send = async (kind: 'deposit' | 'payout', terms: object = {}): Promise<void> => {
    const { path, body } = await account.example({ kind, ...terms })
    const answer = await fetch(account.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(1_000)
    }).then(
      async (response) => {
        const { status } = (await response.json()) as { status?: string }
        return [response.status, status]
      },
      (error: Error) => error.name
    )
    answers.push(answer)
  }
  for (const terms of [{}, { phoneNumber: '260763456780' }, { amount: '150' }]) {
    await send('deposit', { phoneNumber: plainNumber, ...terms })
  }
  for (let n = 0; n < 3; n++) await send('payout', { phoneNumber: plainNumber })
  const early = await account.payments()
  await account.advance('1m')
  const later = await account.payments()
  const { received } = await account.sink('shop')
  await account.advance('1h')
  const { callbacks } = await account.sink('shop')
  const payments = await account.payments()
  return {
    answers,
    ends: [early, later, payments].map((list) =>
      list.map(({ kind, status }) => [kind, status])
    ),
    received,
    callbacks: callbacks
      .map(({ body, signature }) => {
        const { status, amount, failureReason } = body as Record<string, unknown>
        return JSON.stringify([status, amount, failureReason, signature.valid])
      })
      .sort()
  }
}

const nothing = await observe(await openAccount(mock))

t.test('every row has three columns to run', async (t) => {
  t.ok(rows.length >= 40)
  for (const { wish, code, method } of rows) t.ok(/^account\./.test(code) && method, wish)
})

for (const { wish, code, method, path, body, file } of rows) {
  t.test(`I want to ${wish}`, slow, async (t) => {
    const own = await openAccount(mock)
    // Payments wait for the phone, so that of the row is open.
    const prepare = async (account: MomockClient): Promise<string> => {
      if (file !== undefined) return ''
      await account.configure({ approval: 'phone' })
      await account.snapshot('paid')
      const { id } = await account.send('deposit', { phoneNumber: '260763456789' })
      await account.advance('1s')
      return id
    }

    const sent: Array<[method: string, path: string, body?: unknown]> = []
    const id = await prepare(own)
    const call = own.call.bind(own)
    Object.assign(own, {
      call: async (...request: [string, string, unknown?]) => {
        sent.push(JSON.parse(JSON.stringify(request)))
        return await call(...request)
      }
    })
    await runInNewContext(code, { account: own, id })
    Object.assign(own, { call })

    const other = await openAccount(mock)
    const place = path.replace('ID', await prepare(other))
    await other.call(method, place, body)
    if (file === undefined) {
      const place = path.replace('ID', id)
      const shown = plain([method, place, body])
      const isSent = sent.some((request) => isDeepStrictEqual(plain(request), shown))
      t.ok(isSent, `the test code sends what the row shows: ${JSON.stringify(sent)}`)
      return
    }

    const scenarios = join(folder(t), 'scenarios')
    mkdirSync(scenarios)
    writeFileSync(join(scenarios, 'wish.yaml'), file)
    const third = await createMomock({ clock: 'frozen', scenarios })
    t.teardown(() => third.close())
    const effects = {
      code: await observe(own),
      http: await observe(other),
      file: await observe(await openAccount(third))
    }
    t.strictSame(effects.http, effects.code, 'HTTP does what the test code does')
    t.strictSame(effects.file, effects.code, 'the file does what the test code does')
    t.notSame(effects.code, nothing, 'and it changes something')
  })
}

/** A request without what makes no difference: how long a list may be, and an empty body. */
function plain ([method, path, body]: [method: string, path: string, body?: unknown]): unknown {
  const [place, query = ''] = path.split('?')
  const parameters = new URLSearchParams(query)
  parameters.delete('limit')
  return [method, place, parameters.toString(), body ?? {}]
}
