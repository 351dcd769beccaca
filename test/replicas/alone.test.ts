import { join } from 'node:path'
import t from 'tap'
import { folder } from '../support/helper.ts'
import { postgresOptions, runSql } from '../support/postgres.ts'
import { run, serve } from '../support/process.ts'
import { serveMany } from './servers.ts'

/** What needs a ledger alone, while servers share it and after they were killed. */

const ledgerCode = 4

t.test('a ledger that servers share is not used alone', postgresOptions, async (t) => {
  const { db } = await serveMany(t, 1)
  const rows: string[][] = [
    ['--port', '0', '--db', db, '--fresh'],
    ['--port', '0', '--db', db, '--servers', 'one'],
    ['copy', db, join(folder(t), 'copy.db')]
  ]
  // A server that runs renews its lease within 3 s.
  for (const args of rows) {
    const { code, stderr } = await run(t, args)
    t.equal(code, ledgerCode, args.join(' '))
    t.match(stderr, /is in use by another momock \(server 1 at http:\S+, last seen \d+ s ago\)/)
    t.match(stderr, /; stop it, or/)
  }
})

t.test('a ledger of a killed server can be used after a wait', postgresOptions, async (t) => {
  const { db, servers } = await serveMany(t, 2)
  const [stopped, killed] = servers
  await stopped.stop()
  await killed.stop('SIGKILL')
  const setEnd = (seconds: number): Promise<unknown> =>
    runSql(db, `UPDATE server_leases SET until = now() + interval '${seconds} s'`)
  await setEnd(3)
  const { code, stderr } = await run(t, ['copy', db, join(folder(t), 'copy.db')])
  t.equal(code, 0)
  t.match(stderr, /server 2 at \S+, last seen 1\d s ago\); if it was killed/)
  t.match(stderr, /it counts as dead in \d s/)

  await setEnd(3)
  const fresh = await serve(t, ['--db', db, '--fresh'])
  t.match(fresh.output(), /counts as dead in \d s: waiting/)
  await fresh.stop()
})
