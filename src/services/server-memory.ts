import type { Accounts } from '../accounts/registry.ts'
import type { SystemClock } from '../lib/clock.ts'
import type { CoverageTracker } from '../monitoring/coverage-tracker.ts'
import type { Rates, RateSample } from '../monitoring/rates.ts'
import type { Journal, JournalPart } from '../monitoring/request-journal.ts'
import type { ActionResult, ActionResults } from './action-results.ts'
import type { CallbackSinks, SinkAnswer, SinkOrders, SinkPart } from './callback-sinks.ts'
import type { ExamReports, KeptReport } from './exam-reports.ts'
import type { Stamp, Stamps } from './stamps.ts'
import type { StatusCheckAnswer, StatusCheckOrders, StatusChecks } from './status-checks.ts'

/** Data of accounts that a server keeps in memory, outside the ledger. */
export interface MemoryParts {
  journal: Journal
  sinks: CallbackSinks
  statusChecks: StatusChecks
  coverageTracker: CoverageTracker
  examReports: ExamReports
  rates: Rates
  actionResults: ActionResults
  /** Stamps of the changes of what was ordered. */
  stamps: Stamps
}

/** Memories that can be cleared for an account. */
export const accountMemoryNames = [
  'journal',
  'sinks',
  'statusChecks',
  'coverageTracker',
  'examReports'
] as const satisfies Array<keyof MemoryParts>
export type AccountMemoryName = (typeof accountMemoryNames)[number]

/** `hasLater` tells whether there are later orders, of a sink if it is named: they stay. */
type ClearMemory = (
  account: number,
  isGone: boolean | undefined,
  hasLater: (sink?: string) => boolean
) => void

type AccountMemories = Record<AccountMemoryName, { clear: ClearMemory }>

interface OfSink {
  account: number
  name: string
}

/** Input of a change. It has a stamp if several servers share the ledger. */
interface Stamped {
  account: number
  stamp?: Stamp
}

/** Input and result of each call to the memory of a server. All of it can be written as JSON. */
export interface MemoryCallTypes {
  readJournal: { input: { account: number }; result: JournalPart }
  /** Number of requests of all accounts in the journal. */
  countRequests: { input: object; result: number }
  /** Takes all answers to the next requests, of all accounts. */
  takeAnswers: { input: object; result: Orders }
  /** Adds answers that another server had. Those that were ordered later stay. */
  addAnswers: { input: { orders: Orders }; result: void }
  readSink: { input: OfSink; result: SinkPart }
  orderSink: { input: Stamped & OfSink & { orders: SinkOrders }; result: void }
  takeSinkAnswer: { input: OfSink; result: SinkAnswer | undefined }
  emptySink: { input: Stamped & OfSink; result: void }
  readStatusChecks: { input: { account: number }; result: StatusCheckOrders }
  orderStatusChecks: { input: Stamped & { orders: StatusCheckOrders }; result: void }
  takeStatusCheck: { input: { account: number }; result: StatusCheckAnswer | undefined }
  /** Time at which an account was last used; undefined if it was not. */
  readLastUse: { input: { account: number }; result: number | undefined }
  listNotes: { input: { account: number }; result: string[] }
  readRates: { input: object; result: readonly RateSample[] }
  findReport: { input: { account: number }; result: KeptReport | undefined }
  findActionResult: { input: { number: string }; result: ActionResult | undefined }
  clearMemory: { input: Stamped & { memory: AccountMemoryName; isGone?: boolean }; result: void }
}

export type MemoryCallName = keyof MemoryCallTypes
/** Calls whose order matters: all servers must end with the last one. */
export type ChangeName = 'orderSink' | 'emptySink' | 'orderStatusChecks' | 'clearMemory'
/** Changes that order answers. */
type OrderName = 'orderSink' | 'orderStatusChecks'
/** Orders whose answers to the next requests a server has. */
export type Orders = { [N in OrderName]: Array<MemoryInput<N>> }
export type MemoryInput<N extends MemoryCallName> = MemoryCallTypes[N]['input']
export type MemoryResult<N extends MemoryCallName> = MemoryCallTypes[N]['result']

/** Calls to the memory of this server. */
export type MemoryCalls = {
  [N in MemoryCallName]: (input: MemoryInput<N>) => MemoryResult<N>
}

/** Creates the calls to the memory of this server, which other servers make, too. */
export function createMemoryCalls (
  parts: MemoryParts,
  accounts: Accounts,
  systemClock: SystemClock
): MemoryCalls {
  const { journal, sinks, statusChecks, coverageTracker, examReports, rates, actionResults } = parts
  const { stamps } = parts
  const memories: AccountMemories = parts
  const isLatestOfSink = (account: number, name: string, stamp: Stamp | undefined): boolean =>
    stamps.note(stamp, keyOf('sinks', account), keyOf('sinks', account, name))
  return {
    readJournal: ({ account }) => journal.readPart(account),
    countRequests: () => journal.total,
    takeAnswers: () => {
      const orders: Orders = {
        orderSink: sinks.listAnswers().map((order) => ({
          ...order,
          stamp: stamps.find(keyOf('sinks', order.account, order.name))
        })),
        orderStatusChecks: statusChecks.listAnswers().map((order) => ({
          ...order,
          stamp: stamps.find(keyOf('statusChecks', order.account))
        }))
      }
      for (const { account, name } of orders.orderSink) sinks.setAnswers(account, name, [])
      for (const { account } of orders.orderStatusChecks) statusChecks.setAnswers(account, [])
      return orders
    },
    addAnswers: ({ orders: { orderSink, orderStatusChecks } }) => {
      for (const { account, name, orders, stamp } of orderSink) {
        const keys = [keyOf('sinks', account), keyOf('sinks', account, name)]
        if (keys.some((key) => stamps.hasLater(key, stamp))) continue
        sinks.setAnswers(account, name, orders.answers)
      }
      for (const { account, orders, stamp } of orderStatusChecks) {
        if (stamps.hasLater(keyOf('statusChecks', account), stamp)) continue
        statusChecks.setAnswers(account, orders.answers)
      }
    },
    readSink: ({ account, name }) => sinks.readPart(account, name),
    orderSink: ({ account, name, orders, stamp }) => {
      if (isLatestOfSink(account, name, stamp)) sinks.setOrders(account, name, orders)
    },
    takeSinkAnswer: ({ account, name }) => sinks.takeAnswer(account, name),
    emptySink: ({ account, name, stamp }) =>
      sinks.emptySink(account, name, !isLatestOfSink(account, name, stamp)),
    readStatusChecks: ({ account }) => statusChecks.showOrders(account),
    orderStatusChecks: ({ account, orders, stamp }) => {
      if (stamps.note(stamp, keyOf('statusChecks', account))) {
        statusChecks.setOrders(account, orders)
      }
    },
    takeStatusCheck: ({ account }) => statusChecks.takeOwn(account),
    readLastUse: ({ account }) => {
      const { lastUsed, waiting = 0 } = accounts.find(account) ?? {}
      return waiting > 0 ? systemClock.now() : lastUsed
    },
    listNotes: ({ account }) => coverageTracker.listNotes(account),
    readRates: () => rates.read(),
    findReport: ({ account }) => examReports.find(account),
    findActionResult: ({ number }) => actionResults.find(number),
    clearMemory: ({ account, memory, isGone, stamp }) => {
      stamps.note(stamp, keyOf(memory, account))
      memories[memory].clear(account, isGone, (sink) =>
        stamps.hasLater(keyOf(memory, account, sink), stamp)
      )
    }
  }
}

/**
 * What the other servers get of each change: one server has the answers to the next requests, so
 * that each is given once.
 */
export const inputsOfOthers: {
  [N in ChangeName]: (input: MemoryInput<N>) => MemoryInput<N>
} = {
  orderSink: (input) => ({ ...input, orders: { ...input.orders, answers: [] } }),
  orderStatusChecks: ({ orders: { answers, then, isElsewhere }, ...rest }) => ({
    ...rest,
    orders: { answers: [], then, isElsewhere: isElsewhere === true || answers.length > 0 }
  }),
  emptySink: (input) => input,
  clearMemory: (input) => input
}

/** Returns what a stamp is of: a memory of an account, or one sink. */
function keyOf (memory: AccountMemoryName, account: number, sink?: string): string {
  return `${memory} ${account}${sink === undefined ? '' : ` ${sink}`}`
}

/**
 * Memory of the servers that share a ledger. If there is only one, its own memory is all there is.
 */
export interface ServerMemory {
  /** Makes a call on all servers, and merges the results. */
  collect: <N extends MemoryCallName>(name: N, input: MemoryInput<N>) => Promise<MemoryResult<N>>
  /**
   * Makes a change on this server, then on all others. All servers end with the last change, also
   * if several servers make changes at the same time.
   */
  change: <N extends ChangeName>(name: N, input: MemoryInput<N>) => Promise<void>
  /** Makes a call on one other server after another, until one has a result. */
  takeFromOthers: <N extends MemoryCallName>(
    name: N,
    input: MemoryInput<N>
  ) => Promise<Taken<MemoryResult<N>>>
}

/** Result of a call on other servers. */
export interface Taken<T> {
  value?: T
  /** False if there is no value, and a server did not answer. */
  isSure: boolean
}

/** Returns the memory of a server that uses its ledger alone. */
export function createOwnMemory (calls: MemoryCalls): ServerMemory {
  return {
    collect: async (name, input) => calls[name](input),
    change: async (name, input) => calls[name](input),
    takeFromOthers: async () => ({ isSure: true })
  }
}
