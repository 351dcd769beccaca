import t from 'tap'
import { checkServerToken, makeServerToken } from '../../src/security/server-token.ts'

/** Tokens of the servers of a ledger: for one request to one server, and for a short time. */

const secret = 'secret of the servers'
const purpose = { server: 7, method: 'POST', path: '/call/readJournal' }
const made = Date.parse('2026-01-31T12:00:00Z')
const lifetimeMs = 60_000
const token = makeServerToken(secret, purpose, made)
const [time, code] = token.split('.')

/** What is changed, and whether the token is still good. */
const rows: Array<[what: string, change: Partial<Given>, isGood: boolean]> = [
  ['nothing', {}, true],
  ['the last moment', { now: made + lifetimeMs }, true],
  ['a clock that is behind', { now: made - lifetimeMs }, true],
  ['a late request', { now: made + lifetimeMs + 1 }, false],
  ['a token of the future', { now: made - lifetimeMs - 1 }, false],
  ['another secret', { secret: 'another' }, false],
  ['another server', { purpose: { ...purpose, server: 8 } }, false],
  ['another method', { purpose: { ...purpose, method: 'GET' } }, false],
  ['another path', { purpose: { ...purpose, path: '/call/clear' } }, false],
  ['a later time', { token: `${Number(time) + 1}.${code}` }, false],
  ['another code', { token: `${time}.${code.replace(/^./, '_')}` }, false],
  ['a shorter code', { token: token.slice(0, -1) }, false],
  ['no code', { token: `${time}.` }, false],
  ['the secret itself', { token: secret }, false],
  ['no token', { token: '' }, false]
]

interface Given {
  secret: string
  purpose: typeof purpose
  token: string
  now: number
}

t.test('a token is good for its own request only', async (t) => {
  for (const [what, change, isGood] of rows) {
    const given: Given = { secret, purpose, token, now: made, ...change }
    const time = { now: given.now, lifetimeMs }
    t.equal(checkServerToken(given.secret, given.purpose, given.token, time), isGood, what)
  }
  t.notMatch(token, secret)
})
