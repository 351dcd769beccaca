import t from 'tap'
import { RowNumbers } from '../../db/postgres/row-numbers.ts'

/** Numbers of new rows, which a server takes out of a sequence of the database. */

/** Takes a number in each of some transactions. Returns the numbers and how many were read. */
function takeNumbers (isShared: boolean, requests: readonly number[], each = 1) {
  let last = 0
  const counts: number[] = []
  const numbers = new RowNumbers(isShared, (_table, _column, count) => {
    counts.push(count)
    // The numbers between two reads are those of other servers.
    last += 1000
    return Array.from({ length: count }, (_, i) => last + i)
  })
  const taken: number[][] = []
  for (const count of requests) {
    numbers.prepare(count)
    taken.push(Array.from({ length: each }, () => numbers.take('payments', 'seq')))
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
  t.strictSame(takeNumbers(true, [0], 20).counts, [4, 8, 16])
})
