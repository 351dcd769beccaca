import type { JournalPart } from '../monitoring/request-journal.ts'
import type { RateSample } from '../monitoring/rates.ts'
import type { SinkPart } from '../services/callback-sinks.ts'
import type { KeptReport } from '../services/exam-reports.ts'
import type { MemoryCallName, MemoryResult } from '../services/server-memory.ts'
import type { StatusCheckOrders } from '../services/status-checks.ts'
import type { PeerAnswer } from './peers.ts'

/** Answers of all servers; the first one is of this server. */
type Answers<T> = [PeerAnswer<T>, ...Array<PeerAnswer<T>>]

/** How the results of each call are merged. */
export const merges: {
  [N in MemoryCallName]: (answers: Answers<MemoryResult<N>>) => MemoryResult<N>
} = {
  readJournal: mergeJournals,
  countRequests: (answers) => sum(answers.map(({ value }) => value)),
  takeAnswers: ([{ value }]) => value,
  addAnswers: () => {},
  readSink: mergeSinks,
  orderSink: () => {},
  takeSinkAnswer: ([{ value }]) => value,
  emptySink: () => {},
  readStatusChecks: mergeOrders,
  orderStatusChecks: () => {},
  takeStatusCheck: ([{ value }]) => value,
  readLastUse: findLastUse,
  listNotes: (answers) => [...new Set(answers.flatMap(({ value }) => value))],
  readRates: addRates,
  findReport: findLatest,
  findActionResult: ([{ value }]) => value,
  clearMemory: () => {}
}

/** Entry with the time of its record on its server. */
interface Recorded {
  recorded?: number
}

/** Sorts the entries of all servers, oldest first. */
function sortEntries<T, E extends Recorded> (
  answers: Answers<T>,
  entriesOf: (value: T) => readonly E[]
): E[] {
  return answers
    .flatMap(({ server, value, aheadMs }) =>
      entriesOf(value).map((entry) => ({ entry, server, at: (entry.recorded ?? 0) - aheadMs }))
    )
    .sort((one, other) => one.at - other.at || one.server - other.server)
    .map(({ entry }) => entry)
}

function sum (numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/**
 * Merges journals to the one that a single server would have: the last entry has the number of all
 * entries so far, and only the newest entries count.
 */
function mergeJournals (answers: Answers<JournalPart>): JournalPart {
  const { capacity } = answers[0].value
  const count = sum(answers.map(({ value }) => value.count))
  const entries = sortEntries(answers, ({ exchanges }) => exchanges.toReversed())
  const dropped = entries.splice(0, Math.max(0, entries.length - capacity)).length
  return {
    exchanges: entries.toReversed().map((exchange, place) => ({ ...exchange, id: count - place })),
    count,
    dropped: dropped + sum(answers.map(({ value }) => value.dropped)),
    capacity
  }
}

function mergeSinks (answers: Answers<SinkPart>): SinkPart {
  const count = sum(answers.map(({ value }) => value.count))
  const received = sortEntries(answers, (part) => part.received)
  return {
    received: received.map((callback, place) => ({
      ...callback,
      n: count - received.length + place + 1
    })),
    count,
    orders: {
      answers: answers.flatMap(({ value }) => value.orders.answers),
      then: answers[0].value.orders.then
    }
  }
}

/** Merges ordered answers: one server has the answers to the next checks. */
function mergeOrders (answers: Answers<StatusCheckOrders>): StatusCheckOrders {
  return {
    answers: answers.flatMap(({ value }) => value.answers),
    then: answers[0].value.then
  }
}

/** Adds the rates of all servers. The newest samples are of about the same second. */
function addRates (answers: Answers<readonly RateSample[]>): RateSample[] {
  const [own, ...others] = answers.map(({ value }) => value)
  return own.map((sample, place) => {
    const total = { ...sample }
    for (const samples of others) {
      const other = samples.at(place - own.length)
      if (other === undefined) continue
      const share = sample.durationMs / other.durationMs
      for (const name of ['requests', 'payments', 'callbacks'] as const) {
        total[name] += other[name] * share
      }
    }
    return total
  })
}

function findLastUse (answers: Answers<number | undefined>): number | undefined {
  const times = answers.map(({ value }) => value).filter((value) => value !== undefined)
  return times.length === 0 ? undefined : Math.max(...times)
}

/** Finds the report that was kept last. */
function findLatest (answers: Answers<KeptReport | undefined>): KeptReport | undefined {
  return sortEntries(answers, (value) => (value === undefined ? [] : [value])).at(-1)
}
