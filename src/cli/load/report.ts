import type { Figures } from './figures.ts'

/** Content of the reports. */
export interface Report extends Figures {
  momock: string
  url: string
  started: string
  asked: { rate: number; seconds: number; connections: number; mix: string }
  /** True if Ctrl-C stopped the run early. */
  interrupted: boolean
}

/** Describes by how much a run missed its rate. Returns undefined if it kept the rate. */
export function describeMissedRate ({
  asked: { rate, seconds, connections },
  total,
  interrupted
}: Report): string | undefined {
  const wanted = Math.floor(rate * seconds)
  const sent = total.answers + total.errors + total.timeouts
  if (interrupted || sent >= wanted) return undefined
  return (
    `only ${sent} of ${wanted} requests were sent: ${connections} ` +
    `${connections === 1 ? 'connection is' : 'connections are'} not enough for ${rate} per ` +
    'second; use more with --connections'
  )
}
