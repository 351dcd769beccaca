import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { Database } from '../../db/database.ts'
import { DatabaseClock } from '../../db/postgres/database-clock.ts'
import type { PostgresEngine } from '../../db/postgres/engine.ts'
import { PostgresServers } from '../../db/postgres/servers.ts'
import type { Account } from '../domain/account.ts'
import type { ServerList } from '../ports/server-list.ts'
import { findReachableHost } from '../lib/hosts.ts'
import type { SystemClock } from '../lib/clock.ts'
import { version } from '../lib/package.ts'
import { urlOf } from '../lib/url.ts'
import { Ownership } from '../servers/ownership.ts'
import { createAgent, createPassingOn, preparePassingOn } from '../servers/passing-on.ts'
import { ServerMessages } from '../servers/server-messages.ts'
import { Watch } from '../servers/watch.ts'
import type { Setup } from './setup.ts'
import { requeueCallbacks, type Simulator } from './simulator.ts'
import type { Storage } from './storage.ts'

/**
 * One of the servers that share a ledger. This is the only file of the composition that knows that
 * there can be several.
 */
export interface SharedServer {
  /** Prepares an instance of Fastify for passing requests on. */
  prepare: (http: FastifyInstance) => void
  /** Passes requests on to the servers that have their accounts. */
  hook: onRequestHookHandler
  /** Brings an account here, unless another server has it. Returns whether it is here. */
  brings: (account: Account) => Promise<boolean>
  /** Called with each account that leaves this server. */
  onLeave: (account: Account) => void
  /** Takes the accounts of the configuration that nobody has, and watches the others. */
  start: (port: number) => Promise<void>
  /** Tells the others that this server stops. */
  beginLeaving: () => Promise<void>
  /** Gives the accounts back: no work on them is under way any more. */
  leave: () => Promise<void>
}

/** The servers of a ledger, and what the account that comes to this one needs. */
export interface JoinedServers extends ServerList {
  /** Takes no number any more that is smaller than one of a row of another server. */
  forgetNumbers: () => void
}

/** Joins the servers of a ledger. */
export async function join (
  database: Database,
  engine: PostgresEngine,
  systemClock: SystemClock
): Promise<JoinedServers> {
  const servers = await PostgresServers.join(database, engine, version)
  // Before anything has a time.
  if (systemClock instanceof DatabaseClock) systemClock.adjust((await servers.look()).now)
  return Object.assign(servers, { forgetNumbers: () => engine.connection.forgetNumbers() })
}

/** Builds the part of a server that shares its ledger. Returns undefined if it does not. */
export function buildSharedServer (
  { config, systemClock, log }: Setup,
  storage: Storage,
  { clockControl, ticker, ids }: Simulator
): SharedServer | undefined {
  const { servers, database, accounts, keys, outbox, endCopies } = storage
  if (servers === undefined) return undefined
  const messages = new ServerMessages(servers, () => systemClock.now())
  const leave = (id: number): void => {
    const account = accounts.find(id)
    accounts.leave(id)
    clockControl.leaveAccount(id)
    if (account !== undefined) shared.onLeave(account)
  }
  const bringHere = async (id: number): Promise<boolean> => {
    // What is remembered of the last time is old.
    servers.forgetNumbers()
    database.replacedRows++
    outbox.forgetCounts(id)
    if ((await accounts.bringHere(id)) === undefined) return false
    await keys.refresh()
    await endCopies(id)
    database.wakeCleaner()
    await requeueCallbacks(storage, id)
    await ticker.refreshAccount(id)
    return true
  }
  const forget = (id: number): void => accounts.forgetDeleted(id)
  const ownership = new Ownership(servers, { bringHere, leave, forget })
  database.termOf = (account) => ownership.termOf(account)
  let looks = 0
  const watch = new Watch({
    servers,
    messages,
    log,
    random: () => ids.chance(`look ${servers.number} ${++looks}`),
    adopt: (orphans) => ownership.adopt(orphans),
    setTime: (now) => {
      if (systemClock instanceof DatabaseClock) systemClock.adjust(now)
    }
  })
  const agent = createAgent()
  const shared: SharedServer = {
    prepare: preparePassingOn,
    hook: createPassingOn({ ...storage, servers, ownership, messages, watch, agent }),
    brings: async ({ id }) => (await ownership.find(id)) === 'here',
    onLeave: () => {},
    start: async (port) => {
      await servers.announce(urlOf(config.peerHost ?? findReachableHost(config.host), port))
      const configured = accounts.all.filter(({ origin }) => origin === 'configuration')
      await ownership.adopt(configured.map(({ id }) => id))
      await watch.start()
    },
    beginLeaving: async () => {
      await watch.stop()
      // Without the ledger, the others notice it by themselves.
      await servers.beginLeaving().catch(() => {})
    },
    leave: async () => {
      await agent.destroy()
      await ownership.giveBack().catch(() => {})
    }
  }
  return shared
}
