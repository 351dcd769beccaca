import type { Bench } from './bench.ts'
import { TargetProblem, type ControlLevel } from './check.ts'
import { answerTo, isAcknowledged } from './evidence.ts'
import { bookingOf, isBooked } from './judging.ts'
import { honestAbout, isAboutUnknown } from './signature-honest.ts'

/** Control of other checks: an ordinary genuine callback. What it does not reach proves nothing. */
export interface Control {
  reached: readonly ControlLevel[]
  /** What became of the callback, as a part of a sentence. */
  text: string
}

/** Posts an ordinary genuine callback. */
export async function runControl (bench: Bench): Promise<Control> {
  await bench.hold()
  const subject = await bench.subject()
  const exchange = await honestAbout(bench, subject)
  const answer = `an ordinary genuine callback ${answerTo(exchange)}`
  const isKnown = bench.canDrive('deposit')
  if (!isAcknowledged(exchange) && !isAboutUnknown({ isKnown, exchange })) {
    return { reached: [], text: `${answer}, too` }
  }
  try {
    const seen = await bench.waitUntilPaid(subject)
    return seen === undefined || isBooked(seen)
      ? { reached: ['acknowledged', 'booked'], text: answer }
      : { reached: ['acknowledged'], text: `${answer}, and the merchant says: ${bookingOf(seen)}` }
  } catch (error) {
    if (!(error instanceof TargetProblem)) throw error
    return { reached: ['acknowledged'], text: `${answer}, and then: ${error.message}` }
  }
}
