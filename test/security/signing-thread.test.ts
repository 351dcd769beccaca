import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { verifies, type AlgorithmName, type Encoding } from '../../src/security/algorithms.ts'
import { SigningThread } from '../../src/security/signing-thread.ts'

const p256 = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'secp384r1' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

interface Row {
  name: AlgorithmName
  pair: { privateKey: KeyObject; publicKey: KeyObject }
  encoding: Encoding
}

/** Ways to sign that may come in the same turn of the event loop. */
const rows: Row[] = [
  { name: 'ecdsa-p256-sha256', pair: p256, encoding: 'der' },
  { name: 'ecdsa-p256-sha256', pair: p256, encoding: 'p1363' },
  { name: 'ecdsa-p256-sha256', pair: other, encoding: 'der' },
  { name: 'ecdsa-p384-sha384', pair: p384, encoding: 'der' },
  { name: 'rsa-pss-sha512', pair: rsa, encoding: 'der' },
  { name: 'rsa-v1_5-sha256', pair: rsa, encoding: 'der' }
]

/** Starts the thread and waits until it signs. */
async function startThread (): Promise<SigningThread> {
  const thread = new SigningThread(1)
  await thread.signText('ecdsa-p256-sha256', p256.privateKey, 'first', 'der')
  while (!thread.isReady) await setImmediate()
  return thread
}

/** Asks for ten signatures of each row in one turn. Returns whether each is valid. */
function signAll (thread: SigningThread): Array<Promise<boolean>> {
  return Array.from({ length: 10 }, (_, i) =>
    rows.map(async ({ name, pair, encoding }) => {
      const text = `"@method": POST ${i}`
      const value = await thread.signText(name, pair.privateKey, text, encoding)
      return verifies(name, pair.publicKey, text, Buffer.from(value, 'base64'))
    })
  ).flat()
}

t.test('the thread signs with each key and algorithm of a turn', async (t) => {
  const thread = await startThread()
  t.teardown(() => thread.close())
  t.strictSame(new Set(await Promise.all(signAll(thread))), new Set([true]))
  t.equal(thread.isReady, true)
})

t.test(
  'the thread pool signs what an ended thread did not sign, and all that follows',
  async (t) => {
    const thread = await startThread()
    const first = signAll(thread)
    await Promise.all([setImmediate(), thread.close()])
    t.equal(thread.isReady, false)
    const signed = await Promise.all([...first, ...signAll(thread)])
    t.strictSame(new Set(signed), new Set([true]))
  }
)

t.test('a key that does not fit fails its signature and no other', async (t) => {
  const thread = await startThread()
  t.teardown(() => thread.close())
  const wrong = thread.signText('ecdsa-p256-sha256', p256.publicKey, 'text', 'der')
  await t.rejects(wrong)
  t.strictSame(new Set(await Promise.all(signAll(thread))), new Set([true]))
})
