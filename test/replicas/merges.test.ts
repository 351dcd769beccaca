import t from 'tap'
import type { RateSample } from '../../src/monitoring/rates.ts'
import type { JournalExchange, JournalPart } from '../../src/monitoring/request-journal.ts'
import { merges } from '../../src/peers/merges.ts'
import { examReport } from '../support/exam-report.ts'

/** How the parts of several servers become one answer. */

function journalOf (times: number[], rest: Partial<JournalPart> = {}): JournalPart {
  const exchanges = times.map((recorded, n): JournalExchange => ({
    id: n + 1,
    at: 0,
    received: 0,
    durationMs: 0,
    method: 'GET',
    status: 200,
    url: `/${recorded}`,
    headers: '',
    body: '',
    answer: '',
    matched: true,
    recorded
  }))
  return {
    exchanges: exchanges.reverse(),
    count: times.length,
    dropped: 0,
    capacity: 100,
    ...rest
  }
}

const journals: Array<{
  name: string
  parts: Array<{ value: JournalPart; aheadMs?: number }>
  wanted: { urls: string; ids: number[]; dropped?: number }
}> = [
  {
    name: 'requests are in the order of their times',
    parts: [{ value: journalOf([10, 40]) }, { value: journalOf([20, 30]) }],
    wanted: { urls: '/40 /30 /20 /10', ids: [4, 3, 2, 1] }
  },
  {
    name: 'a clock that is ahead does not change the order',
    parts: [{ value: journalOf([10, 40]) }, { value: journalOf([1020, 1030]), aheadMs: 1000 }],
    wanted: { urls: '/40 /1030 /1020 /10', ids: [4, 3, 2, 1] }
  },
  {
    name: 'requests of the same time are in the order of the servers',
    parts: [{ value: journalOf([10]) }, { value: journalOf([10, 10]) }],
    wanted: { urls: '/10 /10 /10', ids: [3, 2, 1] }
  },
  {
    name: 'numbers go on after requests that were dropped or cleared',
    parts: [{ value: journalOf([10], { count: 7, dropped: 6 }) }, { value: journalOf([20]) }],
    wanted: { urls: '/20 /10', ids: [8, 7], dropped: 6 }
  },
  {
    name: 'all servers together keep no more than one',
    parts: [
      { value: journalOf([10, 30], { capacity: 3 }) },
      { value: journalOf([20, 40], { capacity: 3, dropped: 1, count: 3 }) }
    ],
    wanted: { urls: '/40 /30 /20', ids: [5, 4, 3], dropped: 2 }
  }
]

for (const { name, parts, wanted } of journals) {
  t.test(name, async (t) => {
    const [first, ...others] = parts.map(({ value, aheadMs = 0 }, n) => ({
      server: n + 1,
      value,
      aheadMs
    }))
    const { exchanges, dropped } = merges.readJournal([first, ...others])
    t.equal(exchanges.map(({ url }) => url).join(' '), wanted.urls)
    t.strictSame(
      exchanges.map(({ id }) => id),
      wanted.ids
    )
    t.equal(dropped, wanted.dropped ?? 0)
  })
}

t.test('rates of all servers are added, second by second', async (t) => {
  const sample = (at: number, requests: number, durationMs = 1000): RateSample => ({
    at,
    durationMs,
    requests,
    payments: 0,
    callbacks: 0
  })
  const rates = merges.readRates([
    { server: 1, value: [sample(1000, 10), sample(2000, 20)], aheadMs: 0 },
    { server: 2, value: [sample(2300, 6, 2000)], aheadMs: 0 }
  ])
  t.strictSame(
    rates.map(({ at, requests }) => [at, requests]),
    [
      [1000, 10],
      [2000, 23]
    ],
    'a server that began later has no older samples'
  )
})

t.test('the last exam report is shown', async (t) => {
  const kept = (recorded: number, name: string) => ({
    recorded,
    report: { ...examReport, name }
  })
  const last = merges.findReport([
    { server: 1, value: undefined, aheadMs: 0 },
    { server: 2, value: kept(5000, 'earlier'), aheadMs: 4000 },
    { server: 3, value: kept(2000, 'last'), aheadMs: 0 }
  ])
  t.match(last, { report: { name: 'last' } })
})
