import { existsSync } from 'node:fs'
import { ConfigError } from '../config/config.ts'
import type { Account } from '../domain/account.ts'
import type { AccountSettings } from '../domain/account-settings.ts'
import type { KeyRecord } from '../domain/stores.ts'
import { isPostgresUrl } from '../lib/url.ts'
import { Counters } from '../monitoring/counters.ts'
import { Fixtures } from '../services/fixtures.ts'
import { v1 } from '../wire/v1/wire.ts'
import { v2 } from '../wire/v2/wire.ts'
import type { Setup } from './setup.ts'
import { buildSimulator, type Simulator } from './simulator.ts'
import { buildStorage, type Storage } from './storage.ts'

/**
 * Creates the fixtures and takes them back, before the server starts. Throws a ConfigError that
 * names every problem; then nothing has changed. A new ledger is not created for it.
 */
export async function tryFixtures (
  setup: Setup,
  isFresh: boolean,
  accounts: [AccountSettings, ...AccountSettings[]],
  keys: KeyRecord[]
): Promise<void> {
  const { config } = setup
  const isNewLedger = isFresh || (!isPostgresUrl(config.db) && !existsSync(config.db))
  const trial: Setup = {
    ...setup,
    config: isNewLedger ? { ...config, db: ':memory:', servers: 'one' } : config,
    counters: new Counters(),
    observation: {}
  }
  const storage = await buildStorage(trial, accounts, keys)
  try {
    const simulator = await buildSimulator(trial, storage)
    await storage.database.runAndRollBack(() => createFixtures(trial, storage, simulator))
    await simulator.close()
  } finally {
    await storage.database.close()
  }
}

/** Creates the fixtures of the configuration. Throws a ConfigError that names every problem. */
export async function createFixtures (
  setup: Setup,
  storage: Storage,
  simulator: Simulator
): Promise<void> {
  const problems = await buildFixtures(setup, storage, simulator).createAll()
  if (problems.length > 0) throw new ConfigError(problems)
}

/** Creates the fixtures of an account again after its reset. */
export async function createFixturesOf (
  setup: Setup,
  storage: Storage,
  simulator: Simulator,
  account: Account
): Promise<void> {
  const problems = await buildFixtures(setup, storage, simulator).createFor(account)
  for (const { message } of problems) setup.log.warn(message)
}

function buildFixtures (
  { config, systemClock }: Setup,
  { accounts, ledger, wallets }: Storage,
  { context }: Simulator
): Fixtures {
  const { fixtures = [] } = config
  return new Fixtures({
    fixtures,
    accounts,
    ledger,
    wallets,
    wires: { v1, v2 },
    context,
    systemClock
  })
}
