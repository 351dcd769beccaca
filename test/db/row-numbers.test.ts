import t from 'tap'
import { RowNumbers } from '../../db/postgres/row-numbers.ts'

/** Numbers of new rows, which a server takes out of a sequence of the database. */

/** Takes numbers in each of some transactions. Returns them and how many were asked for. */
async function takeNumbers (
  isShared: boolean,
  requests: readonly number[],
  { each = 1, asks = false, isBroken = false } = {}
) {
  let last = 0
  const counts: number[] = []
  const numbers = new RowNumbers(isShared, async (_table, count) => {
    counts.push(count)
    if (isBroken && counts.length === 2) throw new Error('the transaction fails')
    // The numbers between two reads are those of other servers.
    last += 1000
    const first = last
    return Array.from({ length: count }, (_, i) => first + i)
  })
  const taken: number[][] = []
  for (const count of requests) {
    numbers.prepare(count)
    const ofTransaction: number[] = []
    for (let i = 0; i < each; i++) ofTransaction.push(await numbers.next('payments'))
    taken.push(ofTransaction)
    if (asks) numbers.askForMore()
  }
  return { taken, counts }
}

t.test('a server that is alone takes many numbers at once', async (t) => {
  t.strictSame(await takeNumbers(false, [1, 1, 50]), {
    taken: [[1000], [1001], [1002]],
    counts: [500]
  })
})

t.test('of several servers, each takes new numbers for each transaction', async (t) => {
  t.strictSame(await takeNumbers(true, [1, 20, 2]), {
    taken: [[1000], [2000], [3000]],
    counts: [4, 20, 4]
  })
})

t.test('work of the server itself takes more and more', async (t) => {
  t.strictSame((await takeNumbers(true, [0], { each: 20 })).counts, [4, 8, 16])
})

t.test('with the end of a transaction, a server that is alone asks for more', async (t) => {
  const options = { each: 210, asks: true }
  const { taken, counts } = await takeNumbers(false, [210, 210, 210], options)
  t.strictSame(counts, [500, 100, 500])
  t.strictSame(
    [taken[1][209], taken[2][79], taken[2][80], taken[2][179], taken[2][180]],
    [1419, 1499, 2000, 2099, 3000],
    'each number is used once, in order'
  )
  const shared = await takeNumbers(true, [4, 4], { asks: true })
  t.strictSame(shared.counts, [4, 4], 'one of several does not')
})

t.test('a transaction that was taken back brings no numbers', async (t) => {
  const options = { each: 450, asks: true, isBroken: true }
  const { taken, counts } = await takeNumbers(false, [450, 450], options)
  t.strictSame(counts, [500, 100, 500])
  t.equal(taken[1][50], 2000)
})
