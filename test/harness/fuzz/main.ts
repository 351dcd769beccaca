import { readOptions } from '../../support/options.ts'
import { runFuzz } from './run.ts'

/** `npm run test:fuzz -- --requests N --seed S`: so many requests to each operation. */
const { requests, seed } = readOptions({ requests: 150 })
const report = (line: string): void => console.log(line)
const { sent, findings } = await runFuzz({ requests, seed, report })
console.log(`${sent} requests, ${findings.length} findings with --seed ${seed}`)
process.exitCode = findings.length === 0 ? 0 : 1
