import { newAdvanceCounts } from '../../simulator/advance-counts.ts'
import { CallbackSender } from '../../simulator/callback-sender.ts'
import { ClockControl, type CountingWorker } from '../../simulator/clock-control.ts'
import { Courier } from '../../simulator/courier.ts'
import type { LeaseKeeper, LeaseKeeperParts } from '../../simulator/lease-keeper.ts'
import { Mover } from '../../simulator/mover.ts'
import type { PlanningContext } from '../../simulator/drafts.ts'
import { StatementWorker } from '../../simulator/statement-worker.ts'
import { Ticker } from '../../simulator/ticker.ts'
import { Transitions } from '../../simulator/transitions.ts'
import { isExposed, readTimeout } from '../config/configured.ts'
import {
  linkQueue,
  outageQueue,
  paymentQueue,
  releaseQueue,
  statementQueue
} from '../domain/due-queue.ts'
import { Ids } from '../lib/ids.ts'
import type { Peers } from '../peers/peers.ts'
import { CallbackTargets } from '../security/callback-targets.ts'
import { DownloadLinks } from '../security/download-links.ts'
import { v1 } from '../wire/v1/wire.ts'
import { statements as statementCodec } from '../wire/v2/finances.ts'
import { v2 } from '../wire/v2/wire.ts'
import { listOwnUrls, pageLink, type Setup } from './setup.ts'
import type { Storage } from './storage.ts'

const versions = { v1, v2 }

/** Parts that plan payments, move them and send callbacks. */
export interface Simulator {
  ids: Ids
  context: PlanningContext
  transitions: Transitions
  downloads: DownloadLinks
  mover: Mover
  clockControl: ClockControl
  /** From now on this server keeps its leases, and finishes what dead servers have begun. */
  keepLeases: () => void
  /** From now on payments move. */
  start: () => Promise<void>
  /** Does all work that is due now. */
  settle: () => Promise<void>
  /** Finishes the work in progress, and leaves the other servers. */
  close: () => Promise<void>
}

/** Builds the simulator. */
export async function buildSimulator (setup: Setup, storage: Storage): Promise<Simulator> {
  const { config, systemClock, log, catalogue, scenarioLibrary, links } = setup
  const { accounts, keys, ledger, dueQueue, scenarioUses, database, peers } = storage
  const secret = isExposed(config) ? keys.secret : config.seed
  const ids = new Ids(config.seed, secret, storage.errorCounter)
  const context: PlanningContext = {
    catalogue,
    scenarios: scenarioLibrary.scenarios,
    ids,
    versions,
    links: {
      authorise: (code) => `${links.base}/authorise/${code}`,
      checkout: (code) => pageLink(setup, 'checkout', code)
    },
    used: (account, scenario) => scenarioUses.readUses(account, scenario)
  }
  const transitions = new Transitions(accounts, versions, context)
  const mover = new Mover({ ledger, transitions, accounts, log })
  const downloads = new DownloadLinks(ids, () => links.base)
  const courier = buildCourier(setup, storage)
  const work = buildWorker(storage, mover, courier, downloads)
  const keeper = await buildLeaseKeeper(storage, ids, {
    courier,
    expectWork: (queue, due) => ticker.correctDueTime(queue, due),
    interruptTurn: (account, by) => clockControl.interruptTurn(account, by)
  })
  const ticker = new Ticker(
    dueQueue,
    accounts,
    systemClock,
    log,
    (queue, now) => work(queue, now, newAdvanceCounts()),
    keeper
  )
  const clockControl = new ClockControl({
    dueQueue,
    accounts,
    ticker,
    courier,
    systemClock,
    work: (queue, now, counts) =>
      keeper?.runWhenFree(queue, () => work(queue, now, counts)) ?? work(queue, now, counts),
    waitForCallbacksElsewhere: async (...due) =>
      (await keeper?.waitForCallbacksElsewhere(...due)) === true,
    watchOldWork: keeper?.watchOldWork.bind(keeper),
    runTurn: keeper?.runTurn.bind(keeper),
    runLocked: (account, work) => database.sharing?.runLocked(account, work) ?? work(),
    runAlone: keeper?.runAlone.bind(keeper) ?? ((_account, work) => work()),
    recordStates: mover.recordStates.bind(mover)
  })
  return {
    ids,
    context,
    transitions,
    downloads,
    mover,
    clockControl,
    keepLeases: () => keeper?.start(),
    start: async () => {
      await requeueCallbacks(storage)
      await ticker.start()
    },
    settle: () => ticker.runDueWork(),
    close: async () => {
      const end = (): Promise<void> => endWork(ticker, courier, peers)
      await (keeper === undefined ? end() : keeper.stop(end))
    }
  }
}

/** Makes callbacks due that were under way when the server ended. */
function requeueCallbacks ({ outbox, accounts }: Storage): Promise<void> {
  return outbox.requeueLostCallbacks(undefined, (account, error) =>
    accounts.setAside(account, `its callbacks cannot be sent (${String(error)})`)
  )
}

/**
 * Ends the work, and then leaves the other servers: they show its last events. The lease of the
 * server ends later: without it, the server would join again to leave.
 */
async function endWork (ticker: Ticker, courier: Courier, peers?: Peers): Promise<void> {
  await Promise.all([ticker.stop(), courier.close()])
  await peers?.leave()
}

/** Builds the part that shares due work with other servers, if there can be some. */
async function buildLeaseKeeper (
  { leases, accounts, finishAccountWork }: Storage,
  ids: Ids,
  parts: Pick<LeaseKeeperParts, 'courier' | 'expectWork' | 'interruptTurn'>
): Promise<LeaseKeeper | undefined> {
  if (leases === undefined) return undefined
  const { LeaseKeeper } = await import('../../simulator/lease-keeper.ts')
  let draws = 0
  return new LeaseKeeper({
    ...parts,
    leases,
    refresh: () => accounts.refresh(),
    finishAccountWork,
    random: () => ids.chance(`server ${leases.owner} look ${++draws}`)
  })
}

/** Builds the part that delivers callbacks. */
function buildCourier (setup: Setup, { accounts, keys, outbox }: Storage): Courier {
  const { config, systemClock, paymentLog, counters, links, observation } = setup
  const callbackSender = new CallbackSender({
    accounts,
    keys,
    systemClock,
    targets: new CallbackTargets(config.callbacksAllow, () => listOwnUrls(links)),
    timeoutMs: readTimeout(config),
    trusted: setup.trustedAuthorities
  })
  return new Courier({
    outbox,
    callbackSender,
    accounts,
    systemClock,
    log: paymentLog,
    counters,
    observation
  })
}

/** Returns the function that does the due work of a queue. */
function buildWorker (
  { statements, wallets, pageSessions, accounts, dueQueue }: Storage,
  mover: Mover,
  courier: Courier,
  downloads: DownloadLinks
): CountingWorker {
  const statementWorker = new StatementWorker(statements, wallets, downloads, statementCodec)
  return async (queue, now, counts) => {
    if (queue.queue === paymentQueue) await mover.moveDuePayments(queue.account, now, counts)
    else if (queue.queue === statementQueue) {
      await statementWorker.makeDueStatements(queue.account, now)
    } else if (queue.queue === linkQueue) {
      counts.expirations += await pageSessions.expireLinks(queue.account, now)
    } else if (queue.queue === outageQueue) {
      const { endOutages } = await import('../../simulator/outages.ts')
      await endOutages({ accounts, mover }, queue.account, now)
    } else if (queue.queue === releaseQueue) {
      const { finishReleases } = await import('../../simulator/outages.ts')
      await finishReleases({ accounts, mover, releases: dueQueue }, queue.account, now)
    } else {
      const sent = await courier.sendDueCallbacks(queue, now)
      counts.callbacks += sent
      return sent > 0
    }
    return true
  }
}
