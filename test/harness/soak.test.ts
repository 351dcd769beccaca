import t from 'tap'
import { plotPage } from './soak/page.ts'
import { risingLines, runSoak } from './soak/run.ts'
import type { Sample } from './soak/sampler.ts'
import { long } from '../support/full.ts'
import { gateSeed } from '../support/random.ts'

/** A few seconds of `npm run test:soak`, which takes an hour, and of `test:soak:short`. */

t.test('a server takes no more of the machine for having been used', long, async (t) => {
  const seed = gateSeed
  t.comment(`npm run test:soak -- --seconds 9 --every 1 --seed ${seed}`)
  const samples = await runSoak({ seconds: 9, everySeconds: 1, seed })
  t.strictSame(risingLines(samples), [])
  t.ok(
    samples.every(({ heapMiB, handles }) => heapMiB > 0 && handles > 0),
    'it was measured'
  )
  t.match(plotPage(samples, []), /<polyline points="[\d., ]+"\/>/)
})

t.test('a line that rises is found', (t) => {
  const flat = { heapMiB: 30, rssMiB: 200, handles: 40, filesMiB: 5, requestsPerSecond: 100 }
  const samples = (change: (n: number) => Partial<Sample>): Sample[] => {
    return Array.from({ length: 30 }, (_, n) => ({ seconds: n, ...flat, ...change(n) }))
  }
  t.strictSame(risingLines(samples(() => ({}))), [])
  t.match(risingLines(samples((n) => ({ heapMiB: 30 + n * 3 }))), [/^heapMiB rose/])
  t.match(risingLines(samples((n) => ({ handles: 40 + n * 4 }))), [/^handles rose/])
  t.match(risingLines(samples((n) => ({ rssMiB: 200 + n * 20 }))), [/^rssMiB rose/])
  t.match(risingLines(samples((n) => ({ filesMiB: 5 + n * 9 }))), [/^filesMiB rose/])
  t.end()
})
