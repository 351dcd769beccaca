import type { Measure, Sample } from './sampler.ts'

/** An HTML page with a plot of each measure over time; it needs nothing but itself. */

const titles: Record<Measure, string> = {
  heapMiB: 'Heap after collection, MiB',
  rssMiB: 'Resident memory, MiB',
  handles: 'Open file descriptors',
  filesMiB: 'Files of the ledger, MiB',
  requestsPerSecond: 'Requests a second'
}
const measures = ['heapMiB', 'rssMiB', 'handles', 'filesMiB', 'requestsPerSecond'] as const
const width = 720
const height = 200

export function plotPage (samples: readonly Sample[], verdict: readonly string[]): string {
  const lines = verdict.length === 0 ? ['Every line is flat.'] : verdict
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>momock soak test</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 760px; margin: 2rem auto; padding: 0 1rem }
svg { width: 100%; height: auto; background: #f6f7f9; border-radius: 6px }
text { font-size: 12px; fill: #555 }
polyline { fill: none; stroke: #0b62c4; stroke-width: 2 }
</style>
<h1>Soak test</h1>
<p>${samples.length} samples in ${Math.round(samples.at(-1)?.seconds ?? 0)} seconds.</p>
<ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul>
${measures.map((measure) => plot(measure, samples)).join('\n')}
</html>
`
}

function plot (measure: Measure, samples: readonly Sample[]): string {
  const values = samples.map((sample) => sample[measure])
  const top = Math.max(...values, 1) * 1.1
  const end = samples.at(-1)?.seconds ?? 1
  const points = samples.map(({ seconds }, n) => {
    const [x, y] = [(seconds / end) * width, height - (values[n] / top) * height]
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  const label = `${titles[measure]}: from ${values[0]?.toFixed(1)} to ${values.at(-1)?.toFixed(1)}`
  return `<h2>${titles[measure]}</h2>
<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
<polyline points="${points.join(' ')}"/>
<text x="6" y="16">${top.toFixed(1)}</text>
<text x="6" y="${height - 6}">0</text>
<text x="${width - 60}" y="${height - 6}">${Math.round(end)} s</text>
</svg>`
}
