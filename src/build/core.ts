import { type ApiServices } from '../../routes/api.ts'
import type { ApiGuardParts } from '../../routes/http/api-route.ts'
import { Recorder } from '../../routes/http/recorder.ts'
import { RouteIndex } from '../../routes/http/route-index.ts'
import { badgePictures } from '../../routes/pages/badges.ts'
import { CoverageTracker } from '../monitoring/coverage-tracker.ts'
import { Journal } from '../monitoring/request-journal.ts'
import { Checkouts } from '../services/checkouts.ts'
import { Finances } from '../services/finances.ts'
import { PaymentPage } from '../services/payment-page.ts'
import { Payments } from '../services/payments.ts'
import { StatusChecks } from '../services/status-checks.ts'
import { v1 } from '../wire/v1/wire.ts'
import { v2 } from '../wire/v2/wire.ts'
import { pageLink, type Setup } from './setup.ts'
import type { Simulator } from './simulator.ts'
import type { Storage } from './storage.ts'

/** Parts that the API and the admin app share. */
export interface ApiCore {
  wires: typeof wires
  services: ApiServices
  guard: ApiGuardParts
  routeIndex: RouteIndex
  journal: Journal
  coverageTracker: CoverageTracker
}

export const wires = [v1, v2]

/** Builds the services of the API and the parts that all routes share. */
export function buildCore (setup: Setup, storage: Storage, simulator: Simulator): ApiCore {
  const { config, systemClock, log, counters, observation } = setup
  const { accounts, keys, database, ledger } = storage
  const journal = new Journal(config.journal)
  const coverageTracker = new CoverageTracker({
    ledger,
    callbackOutcomes: async (account, most) => {
      const { SqlCallbackOutcomes } = await import('../../db/ledger-stats.ts')
      return await new SqlCallbackOutcomes(database).listOutcomes(account, most)
    },
    wires,
    systemClock
  })
  const recorder = new Recorder({
    journal,
    counters,
    coverageTracker,
    accounts,
    systemClock,
    observation
  })
  return {
    wires,
    services: buildServices(setup, storage, simulator),
    guard: {
      accounts,
      ids: simulator.ids,
      keys,
      systemClock,
      log,
      recorder
    },
    routeIndex: new RouteIndex(),
    journal,
    coverageTracker
  }
}

function buildServices (setup: Setup, storage: Storage, simulator: Simulator): ApiServices {
  const { paymentLog, catalogue, scenarioLibrary, counters, links } = setup
  const { accounts, keys, ledger, outbox, pageSessions, wallets, statements } = storage
  const { ids, context, transitions, downloads, clockControl } = simulator
  const payments = new Payments({
    ledger,
    outbox,
    context,
    transitions,
    scenarioLibrary,
    accounts,
    log: paymentLog,
    counters,
    changes: storage.changeListeners,
    catchUp: (account) => clockControl.catchUp(account)
  })
  return {
    payments,
    checkouts: new Checkouts(ledger, context, scenarioLibrary, transitions, accounts),
    pages: new PaymentPage(
      pageSessions,
      payments,
      accounts,
      catalogue,
      { v1, v2 },
      ids,
      (token) => pageLink(setup, 'paymentPage', token)
    ),
    finances: new Finances({
      wallets,
      statements,
      downloads,
      catalogue,
      accounts,
      ids,
      context,
      scenarioLibrary,
      statementVersion: v2.version
    }),
    statusChecks: new StatusChecks(),
    toolkit: { catalogue, keys, pictures: badgePictures(() => links.base) }
  }
}
