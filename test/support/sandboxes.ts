import root, { type Test } from 'tap'
import { checkAccount, report } from './oracles.ts'
import { build, testMachine, type Client, type Mock } from './helper.ts'

/** Settings of a sandbox account. */
export interface SandboxOptions {
  clock?: 'frozen'
  /** URL of the callbacks of all kinds. */
  callbackUrl?: string
  /** Time of the machine, which stands still. Without it, the time is the real one. */
  start?: string
}

/** A new account of a server that other tests use, too. */
export interface Sandbox extends Client {
  token: string
}

const servers = new Map<string, Promise<Mock>>()
let opened = 0

/**
 * Opens a new account of a server that all tests of this process with the same settings share. A
 * server of its own costs 60 ms of processor time, and in PostgreSQL 400 ms.
 */
export async function openSandbox (
  t: Test,
  { clock, callbackUrl, start }: SandboxOptions = {}
): Promise<Sandbox> {
  const key = JSON.stringify([clock, start])
  const server = servers.get(key) ?? startServer({ clock, start })
  servers.set(key, server)
  const { url, callAs, app, config } = await server
  const token = `sandbox-of-test-${++opened}`
  const call = callAs(t, token)
  t.teardown(() => report(t, () => checkAccount(app, config, token)))
  if (callbackUrl !== undefined) {
    await call('PATCH', '/__admin/account', { callbacks: callbackUrl })
  }
  return { url, token, call }
}

async function startServer ({ clock, start }: SandboxOptions): Promise<Mock> {
  return await build(
    root,
    clock === undefined ? {} : { clock },
    start === undefined ? undefined : testMachine(start),
    { uncheckedBecause: 'each test checks its own account' }
  )
}
