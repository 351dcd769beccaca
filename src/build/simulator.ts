import { newAdvanceCounts } from '../../simulator/advance.ts'
import { CallbackSender } from '../../simulator/callback-sender.ts'
import { ClockControl, type CountingWorker } from '../../simulator/clock-control.ts'
import { Courier } from '../../simulator/courier.ts'
import { Mover } from '../../simulator/mover.ts'
import type { PlanningContext } from '../../simulator/drafts.ts'
import { endOutages, finishReleases } from '../../simulator/outages.ts'
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
} from '../ports/due-queue.ts'
import { Ids } from '../lib/ids.ts'
import { Listeners } from '../listening/listeners.ts'
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
  ticker: Ticker
  /** From now on payments move. */
  start: () => Promise<void>
  /** Does all work that is due now. */
  settle: () => Promise<void>
  /** Finishes the work in progress. */
  close: () => Promise<void>
}

/** Builds the simulator. */
export function buildSimulator (setup: Setup, storage: Storage): Simulator {
  const { config, systemClock, log, catalogue, scenarioLibrary, links } = setup
  const { accounts, keys, ledger, dueQueue, scenarioUses } = storage
  const secret = isExposed(config) ? keys.secret : config.seed
  const ids = new Ids(config.seed, secret)
  const listeners = new Listeners()
  const context: PlanningContext = {
    catalogue,
    scenarios: scenarioLibrary.scenarios,
    ids,
    versionRules: versions,
    listeners,
    links: {
      authorise: (code) => `${links.base}/authorise/${code}`,
      checkout: (code) => pageLink(setup, 'checkout', code)
    },
    used: (account, scenario) => scenarioUses.readUses(account, scenario)
  }
  const transitions = new Transitions(accounts, versions, context)
  const mover = new Mover({ ledger, transitions, accounts, log })
  const downloads = new DownloadLinks(ids, () => links.base)
  const courier = buildCourier(setup, storage, listeners)
  const work = buildWorker(storage, mover, courier, downloads)
  const ticker = new Ticker(dueQueue, accounts, systemClock, log, (queue, now) =>
    work(queue, now, newAdvanceCounts())
  )
  const clockControl = new ClockControl({
    dueQueue,
    accounts,
    ticker,
    courier,
    systemClock,
    work,
    recordStates: mover.recordStates.bind(mover)
  })
  return {
    ids,
    context,
    transitions,
    downloads,
    mover,
    clockControl,
    ticker,
    start: async () => {
      if (storage.servers === undefined) await requeueCallbacks(storage)
      await ticker.start()
    },
    settle: () => ticker.runDueWork(),
    close: async () => {
      await Promise.all([ticker.stop(), courier.close()])
    }
  }
}

/** Makes callbacks due that were under way when a server ended, of one account or of all. */
export function requeueCallbacks (
  { outbox, accounts }: Storage,
  account?: number
): Promise<void> {
  return outbox.requeueLostCallbacks(account, (account, error) =>
    accounts.setAside(account, `its callbacks cannot be sent (${String(error)})`)
  )
}

/** Builds the part that delivers callbacks. */
function buildCourier (
  setup: Setup,
  { accounts, keys, outbox }: Storage,
  listeners: Listeners
): Courier {
  const { config, systemClock, paymentLog, counters, links, observation } = setup
  const callbackSender = new CallbackSender({
    accounts,
    keys,
    systemClock,
    listeners,
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
  const outageParts = { accounts, mover, releases: dueQueue }
  return async (queue, now, counts) => {
    if (queue.queue === paymentQueue) await mover.moveDuePayments(queue.account, now, counts)
    else if (queue.queue === statementQueue) {
      await statementWorker.makeDueStatements(queue.account, now)
    } else if (queue.queue === linkQueue) {
      counts.expirations += await pageSessions.expireLinks(queue.account, now)
    } else if (queue.queue === outageQueue) {
      await endOutages(outageParts, accounts.byId(queue.account), now)
    } else if (queue.queue === releaseQueue) {
      await finishReleases(outageParts, accounts.byId(queue.account), () => now)
    } else {
      const sent = await courier.sendDueCallbacks(queue, now)
      counts.callbacks += sent
      return sent > 0
    }
    return true
  }
}
