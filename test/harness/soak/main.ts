import { writeFileSync } from 'node:fs'
import { readOptions } from '../../support/options.ts'
import { plotPage } from './page.ts'
import { risingLines, runSoak } from './run.ts'

/**
 * `npm run test:soak -- --seconds 3600 --every 10 --seed S`: an hour, and a page with plots,
 * soak.html in the folder it was started in. `--seconds 120 --every 4` is the short version.
 */
const { seconds, every, seed } = readOptions({ seconds: 3600, every: 10 })
const samples = await runSoak({
  seconds,
  everySeconds: every,
  seed,
  report: (sample) =>
    console.log(
      Object.entries(sample)
        .map(([name, value]) => {
          return `${name} ${value.toFixed(1)}`
        })
        .join('  ')
    )
})
const rising = risingLines(samples)
writeFileSync('soak.html', plotPage(samples, rising))
for (const line of rising) console.error(line)
console.log(rising.length === 0 ? 'every line is flat' : `${rising.length} lines rise`)
console.log('the plots are in soak.html')
process.exitCode = rising.length === 0 ? 0 : 1
