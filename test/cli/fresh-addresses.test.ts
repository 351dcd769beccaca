import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { makeLong } from '../support/full.ts'
import { folder } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions } from '../support/postgres.ts'
import { deposit, run, serve } from '../support/process.ts'

/** `--fresh` with a start that fails. */

/** Exit code of an address that cannot be used. */
const addressCode = 3

/** Addresses that another program uses. */
const usedAddresses: Array<[flag: string, ledger: 'file' | 'database']> = [
  ['--port', 'file'],
  ['--tls-port', 'file'],
  ['--port', 'database']
]
for (const [flag, ledger] of usedAddresses) {
  const name = `--fresh deletes no ${ledger} if ${flag} cannot be used`
  t.test(name, ledger === 'file' ? {} : makeLong(postgresOptions), async (t) => {
    const db =
      ledger === 'file'
        ? join(folder(t), 'ledger.db')
        : await createSchema(t, (await openCluster()).url)
    const one = deposit()
    const first = await serve(t, ['--db', db])
    await first.call('POST', '/v2/deposits', one)
    await first.stop()
    const busy = createServer()
    await once(busy.listen(0, '127.0.0.1'), 'listening')
    t.teardown(() => busy.close())
    const { port } = busy.address() as AddressInfo
    const ports = flag === '--port' ? [] : ['--port', '0']
    const refused = await run(t, ['--db', db, '--fresh', ...ports, flag, String(port)])
    t.equal(refused.code, addressCode)
    t.match(refused.stderr, new RegExp(`port ${port} .* is used by another program; .*${flag}`))
    const second = await serve(t, ['--db', db])
    t.match(await second.call('GET', `/v2/deposits/${one.depositId}`), {
      body: { status: /^FOUND$/ }
    })
  })
}
