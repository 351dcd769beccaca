import { ConfigError } from '../config/config.ts'
import type { Account } from '../domain/account.ts'
import type { AccountSettings } from '../domain/account-settings.ts'
import type { KeyRecord } from '../ports/stores.ts'
import { Counters } from '../monitoring/counters.ts'
import { Fixtures } from '../services/fixtures.ts'
import { v1 } from '../wire/v1/wire.ts'
import { v2 } from '../wire/v2/wire.ts'
import type { Setup } from './setup.ts'
import { buildSimulator, type Simulator } from './simulator.ts'
import { buildStorage, type Storage } from './storage.ts'

/** Brings an account to this server, and returns whether it is there. */
type IsHere = (account: Account) => Promise<boolean>

/**
 * Creates the fixtures in an empty ledger in memory, before the server starts. Throws a ConfigError
 * that names every problem; then nothing was stored.
 */
export async function tryFixtures (
  setup: Setup,
  accounts: [AccountSettings, ...AccountSettings[]],
  keys: KeyRecord[]
): Promise<void> {
  const trial: Setup = {
    ...setup,
    config: { ...setup.config, db: ':memory:' },
    counters: new Counters(),
    observation: {}
  }
  const storage = await buildStorage(trial, accounts, keys)
  try {
    const simulator = buildSimulator(trial, storage)
    const problems = await buildFixtures(trial, storage, simulator).createAll()
    await simulator.close()
    if (problems.length > 0) throw new ConfigError(problems)
  } finally {
    await storage.database.close()
  }
}

/**
 * Creates the fixtures of the configuration. A payment that an older ledger refuses, for example
 * because its wallet is empty, is left out with a warning.
 */
export async function createFixtures (
  setup: Setup,
  storage: Storage,
  simulator: Simulator,
  isHere: IsHere
): Promise<void> {
  const problems = await buildFixtures(setup, storage, simulator, isHere).createAll()
  for (const { message } of problems) setup.log.warn(message)
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
  { config }: Setup,
  { accounts, ledger, wallets }: Storage,
  { context }: Simulator,
  isHere: IsHere = async () => true
): Fixtures {
  const { fixtures = [] } = config
  return new Fixtures({
    fixtures,
    accounts,
    isHere,
    ledger,
    wallets,
    wires: { v1, v2 },
    context
  })
}
