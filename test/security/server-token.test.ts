import t from 'tap'
import { ServerMessages } from '../../src/servers/server-messages.ts'

/** Tokens of the servers of a ledger: for the requests to one server, and for a short time. */

const secret = 'secret of the servers'
const made = Date.parse('2026-01-31T12:00:00Z')
const lifetimeMs = 15 * 60_000

function serverOf (number: number, now = made, given = secret): ServerMessages {
  return new ServerMessages({ number, secret: given }, () => now)
}

const token = serverOf(1).sign(7)
const proof = serverOf(7).prove(token)
const [time, code] = token.split('.')

/** Who takes a token, and whether it is good there. */
const rows: Array<[what: string, taker: ServerMessages, token: string, isGood: boolean]> = [
  ['its server', serverOf(7), token, true],
  ['the last moment', serverOf(7, made + lifetimeMs), token, true],
  ['a clock that is behind', serverOf(7, made - lifetimeMs), token, true],
  ['a late request', serverOf(7, made + lifetimeMs + 1), token, false],
  ['a token of the future', serverOf(7, made - lifetimeMs - 1), token, false],
  ['another secret', serverOf(7, made, 'another'), token, false],
  ['another server', serverOf(8), token, false],
  ['an answer', serverOf(7), proof, false],
  ['a later time', serverOf(7), `${Number(time) + 1}.${code}`, false],
  ['another code', serverOf(7), `${time}.${code.replace(/^./, '_')}`, false],
  ['a shorter code', serverOf(7), token.slice(0, -1), false],
  ['no code', serverOf(7), `${time}.`, false],
  ['the secret itself', serverOf(7), secret, false],
  ['no token', serverOf(7), '', false]
]

t.test('a token is good for requests to its server only', async (t) => {
  for (const [what, taker, token, isGood] of rows) {
    t.equal(taker.isFromServer(token), isGood, what)
    t.equal(taker.isFromServer(token), isGood, `${what}, again`)
  }
  t.notMatch(token, secret)
})

t.test('a proof is good for the answers to one token of one server only', async (t) => {
  const asker = serverOf(1)
  t.ok(asker.isProved(7, token, proof))
  t.notOk(asker.isProved(8, token, proof), 'another server')
  t.notOk(asker.isProved(7, serverOf(1, made + 1).sign(7), proof), 'another token')
  t.notOk(asker.isProved(7, token, token), 'the token itself')
  t.notOk(asker.isProved(7, token, undefined), 'no proof')
})

t.test('a token is made anew after a minute, and ends although it was good once', async (t) => {
  let now = made
  const [asker, taker] = [1, 7].map((number) => new ServerMessages({ number, secret }, () => now))
  const first = asker.sign(7)
  t.ok(taker.isFromServer(first))
  now += 60_000
  t.equal(asker.sign(7), first)
  now += 1
  t.not(asker.sign(7), first)
  now = made + lifetimeMs + 1
  t.notOk(taker.isFromServer(first))
})
