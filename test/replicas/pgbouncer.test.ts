import t from 'tap'
import { pgbouncerOptions, startPgBouncer } from '../support/pgbouncer.ts'
import { createDatabase, openCluster } from '../support/postgres.ts'
import { run } from '../support/process.ts'

/** PgBouncers, by what they do with the settings that a session begins with. */
const poolers: Array<[what: string, settings: string[]]> = [
  ['refuses them', []],
  [
    'ignores them',
    ['ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout']
  ]
]

t.test('a pooler in front of the ledger is refused', pgbouncerOptions, async (t) => {
  const { url } = await openCluster()
  const name = await createDatabase(t, url)
  for (const [what, settings] of poolers) {
    const pooled = await startPgBouncer(t, url, settings)
    const { code, stderr } = await run(t, ['--port', '0', '--db', pooled(name)])
    t.equal(code, 4, what)
    t.match(stderr, /pooler, such as PgBouncer, in front of postgres:.*; name host and port of/)
  }
})
