import type { Figures } from './figures.ts'

/** What the reports are made of. */
export interface Report extends Figures {
  momock: string
  url: string
  started: string
  asked: { rate: number; seconds: number; connections: number; mix: string }
  /** Was it ended before its time? */
  interrupted: boolean
}

/** What there is to say if the rate that was asked for could not be kept. */
export function missedRate ({
  asked: { rate, seconds, connections },
  total,
  interrupted
}: Report): string | undefined {
  const wanted = Math.floor(rate * seconds)
  const sent = total.answers + total.errors + total.timeouts
  if (interrupted || sent >= wanted) return undefined
  return (
    `only ${sent} of ${wanted} requests were sent: ${connections} ` +
    `${connections === 1 ? 'connection' : 'connections'} could not keep ${rate} a second; ` +
    '--connections gives it more of them'
  )
}
