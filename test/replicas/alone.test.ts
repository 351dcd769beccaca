import t from 'tap'
import { postgresOptions, runSql } from '../support/postgres.ts'
import { run, serve } from '../support/process.ts'
import { serveMany } from './servers.ts'

/** What needs a ledger alone, while servers share it and after they were killed. */

const ledgerCode = 4

t.test('a ledger that servers share is not used alone', postgresOptions, async (t) => {
  const { db } = await serveMany(t, 1)
  // A server that runs renews its lease within 3 s.
  for (const option of [['--fresh'], ['--servers', 'one']]) {
    const { code, stderr } = await run(t, ['--port', '0', '--db', db, ...option])
    t.equal(code, ledgerCode, option.join(' '))
    t.match(stderr, /is in use by another momock \(server 1 at http:\S+, last seen \d+ s ago\)/)
    t.match(stderr, /; stop it, or/)
  }
})

t.test('a ledger of a killed server can be used after a wait', postgresOptions, async (t) => {
  const { db, servers } = await serveMany(t, 2)
  const [stopped, killed] = servers
  await stopped.stop()
  await killed.stop('SIGKILL')
  await runSql(db, "UPDATE server_leases SET until = now() + interval '3 s'")
  const fresh = await serve(t, ['--db', db, '--fresh'])
  t.match(fresh.output(), /server 2 at \S+, last seen 1\d s ago\); if it was killed/)
  t.match(fresh.output(), /counts as dead in \d s: waiting/)
  await fresh.stop()
})
