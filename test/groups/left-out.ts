/**
 * Test files that `npm run test:replicas` leaves out, with the reasons. All other test files run
 * through several servers.
 */
export const leftOut: Readonly<Record<string, string>> = {
  'test/admin/metrics.test.ts': 'each server has its own metrics, with its number as a label',
  'test/admin/unreadable-accounts.test.ts': 'it damages a ledger that one server starts with',
  'test/api/error-ids.test.ts': 'each server counts the errors that it answers',
  'test/api/public-url.test.ts': 'it is about the options of one server',
  'test/api/slow-clients.test.ts': 'a balancer waits for slow clients in place of the servers',
  'test/cli/*': 'commands, options, signals and the package are about one process',
  'test/client/closing.test.ts': 'it looks for what a closed mock leaves in its process',
  'test/client/known-codes.test.ts': 'it compares a generated file',
  'test/db/*': 'it is about the storage of one server',
  'test/docs/!(codes|merchant|migration|samples|signing).test.ts':
    'it is about texts and generated files; commands in texts start a server',
  'test/exam/*': 'an exam starts a mock of its own',
  'test/harness/*': 'harnesses and benchmarks start their servers, also several',
  'test/lib/*': 'it starts no server',
  'test/replicas/*': 'it starts several servers as processes, also in npm test',
  'test/tls/*': 'the balancer of these tests has no TLS'
}
