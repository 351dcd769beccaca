import t from 'tap'
import { RowNumbers } from '../../db/postgres/row-numbers.ts'

/** Numbers of new rows, which a server takes out of a sequence of the database. */

/** Takes a number in each of some transactions. Returns the numbers and how many were read. */
function takeNumbers (
  isShared: boolean,
  requests: readonly number[],
  { each = 1, isAhead = false, areThere = true, asks = false } = {}
) {
  let last = 0
  const counts: number[] = []
  const numbers = new RowNumbers(isShared, (_table, _column, count) => {
    counts.push(count)
    // The numbers between two reads are those of other servers.
    last += 1000
    const first = last
    return { areThere, read: () => Array.from({ length: count }, (_, i) => first + i) }
  })
  const taken: number[][] = []
  for (const count of requests) {
    numbers.prepare(count, isAhead)
    taken.push(Array.from({ length: each }, () => numbers.take('payments', 'seq')))
    if (asks) numbers.askForMore()
  }
  return { taken, counts }
}

t.test('a server that is alone takes many numbers at once', async (t) => {
  t.strictSame(takeNumbers(false, [1, 1, 50]), {
    taken: [[1000], [1001], [1002]],
    counts: [500]
  })
})

t.test('of several servers, each takes new numbers for each transaction', async (t) => {
  t.strictSame(takeNumbers(true, [1, 20, 2]), {
    taken: [[1000], [2000], [3000]],
    counts: [4, 20, 4]
  })
})

t.test('work of the server itself takes more and more', async (t) => {
  t.strictSame(takeNumbers(true, [0], { each: 20 }).counts, [4, 8, 16])
})

t.test('numbers that are asked for ahead are those that are taken', async (t) => {
  t.strictSame(takeNumbers(true, [1, 20, 0], { isAhead: true }), {
    taken: [[1000], [2000], [3000]],
    counts: [4, 20, 4]
  })
})

t.test('a server that is alone asks ahead when its numbers end', async (t) => {
  const { taken, counts } = takeNumbers(false, [300, 300, 100], { each: 300, isAhead: true })
  t.strictSame(counts, [500, 500])
  t.strictSame([taken[1][199], taken[1][200], taken[2][0]], [1499, 2000, 2100])
})

t.test('with the end of a transaction, a server that is alone asks for more', async (t) => {
  const options = { each: 210, isAhead: true, asks: true }
  const { taken, counts } = takeNumbers(false, [210, 210, 210], options)
  t.strictSame(counts, [500, 100, 500])
  t.strictSame(
    [taken[1][209], taken[2][79], taken[2][80], taken[2][179], taken[2][180]],
    [1419, 1499, 2000, 2099, 3000],
    'each number is used once, in order'
  )
  t.strictSame(takeNumbers(true, [4, 4], { asks: true }).counts, [4, 4], 'one of several does not')
})

t.test('a transaction that was taken back brings no numbers', async (t) => {
  const options = { each: 450, asks: true, areThere: false }
  const { taken, counts } = takeNumbers(false, [450, 450], options)
  t.strictSame(counts, [500, 100, 500])
  t.equal(taken[1][50], 3000)
})
