import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import t from 'tap'
import { postgresOptions, runSql } from '../support/postgres.ts'
import { deposit, run } from '../support/process.ts'
import { serveMany, serveShared } from './servers.ts'

/** Address at which servers reach each other. */

const addressCode = 3

async function findFreePort (): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return port
}

t.test('servers reach each other at the address that is set', postgresOptions, async (t) => {
  const port = String(await findFreePort())
  const peer = ['--peer-host', 'localhost', '--peer-port', port]
  const { db, servers } = await serveMany(t, 1, peer)
  const other = await serveShared(t, db, ['--peer-host', '127.0.0.1'])
  const urls = await runSql(db, 'SELECT url FROM servers ORDER BY number')
  t.match(urls, [{ url: `http://localhost:${port}` }, { url: /^http:\/\/127\.0\.0\.1:\d+$/ }])
  const { depositId } = deposit()
  await servers[0].call('POST', '/v2/deposits', deposit(depositId))
  const { requests } = (await other.call('GET', '/__admin/requests')).body
  t.match(
    requests,
    [{ request: { path: '/v2/deposits' } }],
    'the journal has the requests of the other one'
  )

  const args = ['--db', db, '--port', '0']
  const rows: Array<[string[], RegExp]> = [
    [['--peer-port', port], /port \d+ on 127\.0\.0\.1 is used by another program.*--peer-port/],
    [['--host', '10.255.255.254'], /10\.255\.255\.254 is not an address of this machine/]
  ]
  for (const [more, says] of rows) {
    const { code, stderr } = await run(t, [...args, ...more])
    t.equal(code, addressCode, more.join(' '))
    t.match(stderr, says)
    const doctor = await run(t, ['doctor', ...args, ...more])
    t.equal(doctor.code, 1)
    t.match(doctor.stdout.replaceAll('\n', ' '), says)
  }
  t.equal((await runSql(db, 'SELECT owner FROM server_leases')).length, 2, 'no lease is left')
})

t.test('settings of the address that cannot be used', async (t) => {
  const rows: Array<[string[], RegExp]> = [
    [['--peer-port', '7070'], /peerPort is 7070, as port is; each listener needs its own port/],
    [['--tls-port', '7443', '--peer-port', '7443'], /peerPort is 7443, as tlsPort is/],
    [['--peer-port', '70000'], /--peer-port must be/],
    [['--peer-host', 'http://here'], /--peer-host must be/]
  ]
  for (const [args, says] of rows) {
    const { code, stderr } = await run(t, args)
    t.equal(code, 2, args.join(' '))
    t.match(stderr, says)
  }
})
