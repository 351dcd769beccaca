import { kinds, type KindName } from '../domain/kinds.ts'
import type { RefusalCode } from '../domain/refusal.ts'
import type { Histogram } from './counters.ts'
import type { Wire } from '../wire/wire.ts'

/** Value of a metric with its labels. */
export interface Sample {
  labels: Record<string, string>
  value: number
  metricName?: string
}

/** Labels of a counted initiation, in the words of its version. */
export function spelled (name: string, wires: readonly Wire[]): Record<string, string> {
  const [version, kind, outcome, why, as] = name.split(' ')
  if (why === undefined) {
    return {
      version,
      kind,
      outcome: outcome === 'DUPLICATE' ? 'DUPLICATE_IGNORED' : outcome,
      code: ''
    }
  }
  const refusal = { code: why as RefusalCode, message: '', ...(as !== '' && { as }) }
  const body = wires
    .find((wire) => wire.version === version)
    ?.answers.initiated(kinds[kind as KindName], '', { outcome: 'REFUSED', refusal }, () => '')
    .body as Refused
  return {
    version,
    kind,
    outcome: body.status ?? 'ERROR',
    code:
      body.failureReason?.failureCode ??
      body.rejectionReason?.rejectionCode ??
      String(body.errorCode)
  }
}

/** Fields of the answer to a refused initiation that its labels need. */
interface Refused {
  status?: string
  failureReason?: { failureCode: string }
  rejectionReason?: { rejectionCode: string }
  errorCode?: number
}

/** Adds samples with the same labels: several of our codes can be one code of the API. */
export function summed (samples: Sample[]): Sample[] {
  const sums = new Map<string, Sample>()
  for (const { labels, value } of samples) {
    const key = JSON.stringify(labels)
    sums.set(key, { labels, value: value + (sums.get(key)?.value ?? 0) })
  }
  return [...sums.values()]
}

/** A histogram as Prometheus has it: each bucket holds the smaller ones, too. */
export function buckets (name: string, { bounds, counts, sum }: Histogram): Sample[] {
  let count = 0
  const steps = counts.map((n, place) => ({
    metricName: `${name}_bucket`,
    labels: { le: place < bounds.length ? String(bounds[place]) : '+Inf' },
    value: (count += n)
  }))
  return [
    ...steps,
    { metricName: `${name}_sum`, labels: {}, value: sum },
    { metricName: `${name}_count`, labels: {}, value: count }
  ]
}
