import { runFiles } from './group.ts'

await runFiles('test/tls/*.test.ts', { full: 'test/tls/clients.test.ts' })
