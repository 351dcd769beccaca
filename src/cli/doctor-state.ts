import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  describeCallbacks,
  describeClock,
  describeEarlierChanges,
  describeOutages,
  listIgnoredOpenings,
  listIneffective,
  type KeptState
} from '../accounts/account-state.ts'
import { MomockClient, MomockError } from '../client/client.ts'
import { buildAccounts, chooseClientToken, startSettings } from '../config/configured.ts'
import { effectiveSettings, type Account } from '../domain/account.ts'
import type { OpeningBalance } from '../domain/money.ts'
import { frozenClock, runningClock, systemClock, type Clock } from '../lib/clock.ts'
import { isPostgresUrl, urlOf } from '../lib/url.ts'
import type { Finding, Setup } from './doctor-findings.ts'

const fix = 'POST /__admin/reset removes the changes, or start with --fresh'

/** State of an account, with the settings that are in force. */
export interface UsedAccount extends KeptState, Pick<Account, 'settings'> {
  /** Opening balances of its used wallets, if they are known. */
  openings?: OpeningBalance[]
}

/** Reads the accounts of the running momock, or of the ledger. Returns an error of the momock. */
export async function readStates (
  place: Pick<Setup, 'config' | 'folder'>,
  isRunning: boolean
): Promise<UsedAccount[] | MomockError> {
  try {
    return isRunning ? [await askRunning(place)] : await readStopped(place)
  } catch (error) {
    if (error instanceof MomockError) return error
    throw error
  }
}

/** Shows the state of a used ledger: clock, callback URLs, outages and changed settings. */
export async function checkState ({ config, states }: Setup): Promise<Finding[]> {
  if (states instanceof MomockError) {
    const advice =
      'set a token of the running momock with --token, and its admin token with --admin-token'
    return [{ verdict: 'warn', what: `the state cannot be read: ${states.message}`, fix: advice }]
  }
  const [first] = states
  if (first === undefined) {
    const what = isPostgresUrl(config.db)
      ? 'the state of a ledger in PostgreSQL is shown while momock runs on this port'
      : 'the ledger is new'
    return [{ verdict: 'ok', what }]
  }
  const now = systemClock.now()
  const changes = describeEarlierChanges(states, config.clock, now)
  const outages = describeOutages(first.outages)
  return [
    { verdict: 'ok', what: `the clock: ${describeClock(first.clock, now)}` },
    { verdict: 'ok', what: `callbacks: ${describeCallbacks(first.settings)}` },
    ...(outages === undefined
      ? []
      : [{ verdict: 'warn' as const, what: `outages: ${outages}`, fix }]),
    ...(changes === undefined ? [] : [{ verdict: 'warn' as const, what: changes, fix }]),
    ...states.flatMap(({ name, setAside }): Finding[] => {
      if (setAside === undefined) return []
      const what = `account '${name}' is set aside, because it cannot be read: ${setAside}`
      return [{ verdict: 'warn', what, fix: 'POST /__admin/reset with its token empties it' }]
    }),
    ...[
      ...listIneffective(first, startSettings(config)),
      ...states.flatMap((state) => listIgnoredOpenings(state, state.openings ?? []))
    ].map((what): Finding => ({ verdict: 'warn', what }))
  ]
}

/** Asks the running momock for the state of the account of the token. */
async function askRunning ({ config }: Pick<Setup, 'config'>): Promise<UsedAccount> {
  const { adminToken } = config
  const client = new MomockClient(
    urlOf(config.host, config.port),
    chooseClientToken(config),
    adminToken === undefined ? {} : { adminToken }
  )
  const [account, clock, providers] = await Promise.all([
    client.account(),
    client.clock(),
    client.providers()
  ])
  return {
    name: account.name,
    settings: account.settings,
    patched: Object.fromEntries(account.patched.map((name) => [name, null])),
    clock: readClock(clock.mode, Date.parse(clock.now), clock.speed),
    outages: new Map(
      providers.map(({ provider, operationTypes }) => [provider, operationTypes] as const)
    )
  }
}

function readClock (mode: Clock['mode'], now: number, speed: number): Clock {
  if (mode === 'frozen') return frozenClock(now)
  return { ...runningClock(), base: now, since: systemClock.now(), speed }
}

/** Reads the ledger of a momock that does not run. */
async function readStopped ({
  config,
  folder
}: Pick<Setup, 'config' | 'folder'>): Promise<UsedAccount[]> {
  const path = resolve(folder, config.db)
  if (config.db === ':memory:' || isPostgresUrl(config.db) || !existsSync(path)) return []
  const { readLedgerAccounts, tryLedger } = await import('../app.ts')
  // The check of the ledger reports an unusable one.
  if ((await tryLedger(path)) !== undefined) return []
  const configured = buildAccounts(config)
  const kept = await readLedgerAccounts(path)
  return kept
    .map((state) => {
      const base = configured.find(({ name }) => name === state.name)
      return { ...state, settings: effectiveSettings(base ?? { name: state.name }, state.patched) }
    })
    .sort((one, other) => Number(other.name === 'default') - Number(one.name === 'default'))
}
