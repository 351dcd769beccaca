import t from 'tap'
import { ResultPacker, ResultReader } from '../../db/postgres/packing.ts'
import type { Field, QueryResult } from '../../db/postgres/messages.ts'

/** Results of PostgreSQL on their way between two threads. */

const name: Field = { name: 'name', type: 25 }
const count: Field = { name: 'count', type: 20 }

const batches: Array<[what: string, results: QueryResult[]]> = [
  ['no result', []],
  ['a result without columns', [{ changes: 3, fields: [], rows: [] }]],
  ['a result without rows', [{ changes: 0, fields: [name, count], rows: [] }]],
  [
    'null, empty and other texts',
    [
      {
        changes: 3,
        fields: [name, count],
        rows: [
          [null, '1'],
          ['', null],
          ['K 😀 é', '-20']
        ]
      }
    ]
  ],
  [
    'several results with the same and with other columns',
    [
      { changes: 1, fields: [name], rows: [['one']] },
      { changes: 1, fields: [count], rows: [['2']] },
      { changes: 2, fields: [name], rows: [['three'], ['four']] }
    ]
  ]
]

t.test('results are the same after they were packed', async (t) => {
  const packer = new ResultPacker()
  const reader = new ResultReader()
  for (const [what, results] of [...batches, ...batches]) {
    const packed = structuredClone(packer.pack(results))
    reader.learn(packed)
    t.strictSame(reader.read(packed), results, what)
  }
})

t.test('columns are sent once, also with results that nobody reads', async (t) => {
  const packer = new ResultPacker()
  const reader = new ResultReader()
  const results = [{ changes: 1, fields: [name], rows: [['one']] }]
  const first = packer.pack(results)
  const second = packer.pack(results)
  t.equal(first.newFields.length, 1)
  t.equal(second.newFields.length, 0)
  reader.learn(first)
  t.strictSame(reader.read(second), results)
})
