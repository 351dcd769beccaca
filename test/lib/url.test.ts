import t from 'tap'
import { describeDatabase, isOtherAddress, parseDatabaseUrl } from '../../src/lib/url.ts'

/** Settings of the ledger. */

t.test('an address of something else is no path', async (t) => {
  const rows: Array<[db: string, isOther: boolean]> = [
    ['mysql://momock:secret@127.0.0.1/momock', true],
    ['postgress://host/momock', true],
    ['postgresql+psycopg://host/momock', true],
    ['file:///data/momock.db', true],
    ['host=127.0.0.1 dbname=momock', true],
    ['socket:/run/postgresql?db=momock', true],
    ['postgres//momock:secret@host/momock', true],
    ['data/momock?user=momock&password=secret', true],
    ['momock:secret@127.0.0.1:5432/momock', true],
    ['momock:se/cret@127.0.0.1/momock', true],
    ['data/momock@2:1.db', false],
    ['C:\\data@home\\momock.db', false],
    ['postgres://host/momock', false],
    ['PostgreSQL://host/momock', false],
    [' postgres://host/momock', false],
    ['data/momock.db', false],
    ['C:\\data\\momock.db', false],
    [':memory:', false]
  ]
  for (const [db, isOther] of rows) t.equal(isOtherAddress(db), isOther, db)
})

t.test('the password of a database is hidden, however it is written', async (t) => {
  const passwords = ['secret', 'sec%2Fret', 'se/cret', 'se#cret', 'se?cret', 'se@cret', 'a:b']
  for (const password of passwords) {
    const url = `postgres://momock:${password}@host:5432/momock?host=/run&password=secret`
    t.equal(describeDatabase(url), 'postgres://momock:[hidden]@host:5432/momock', password)
  }
  for (const user of ['momock', 'mo@mock', 'mo/mock', 'mo%2Fmock', 'mo?mock', 'mo#mock', '']) {
    for (const slashes of ['//', '/', '']) {
      const url = `postgres:${slashes}${user}:se:cret@host:5432/momock`
      t.notMatch(describeDatabase(url), /cret/, url)
    }
  }
  const ends = ['123?secret@host/db', '123#secret@host/db', '12/3?secret@host/db', '1?a=secret@h/d']
  for (const text of ends.map((end) => `u:${end}`)) {
    t.match(describeDatabase(`postgres://${text}`), /^postgres:\/\/u:\[hidden\]@h/, text)
    t.equal(parseDatabaseUrl(`postgres://${text}`), undefined, text)
  }
  t.equal(describeDatabase(' postgres://u:secret@h/d'), 'postgres://u:[hidden]@h/d')
  t.equal(describeDatabase('postgres:secret@h/d'), 'postgres:[hidden]@h/d')
  for (const password of ['p@ss#w0rd', 'p@ss?w0rd', 'p@ss/w0rd']) {
    t.equal(describeDatabase(`postgres://u:${password}@h/d`), 'postgres://u:[hidden]@h/d')
  }
  t.ok(parseDatabaseUrl('postgres://host/momock?user=u&password=a@b&sslrootcert=a@b.pem'))
  const others = ['u:secret', 'u:secret#h/db', 'h:5432/x?password=a@secret', 'h/x?password=secret']
  for (const other of others) t.notMatch(describeDatabase(`postgres://${other}`), /secret/, other)
  t.equal(describeDatabase('postgres://u:p@h/d?options=-cx@y'), 'postgres://u:[hidden]@h/d')
  t.equal(describeDatabase('postgres://momock@host/momock'), 'postgres://momock@host/momock')
  t.equal(describeDatabase('postgres://host:5432/momock'), 'postgres://host:5432/momock')
})
