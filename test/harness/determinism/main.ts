import { readOptions } from '../../support/options.ts'
import { compareRuns } from './run.ts'

/** `npm run test:determinism -- --rounds N --seed S` */
const { rounds, seed } = readOptions({ rounds: 5 })
let count = 0
for (let round = 0; round < rounds; round++) {
  for (const parallel of [false, true]) {
    const options = { seed: seed + round, parallel, signed: round % 2 === 1 }
    const differences = await compareRuns(options)
    count += differences.length
    console.log(`${JSON.stringify(options)}: ${differences.length} differences`)
    for (const difference of differences.slice(0, 5)) console.error(difference.slice(0, 2000))
  }
}
process.exitCode = count === 0 ? 0 : 1
