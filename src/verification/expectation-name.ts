import type { Expectation } from './expectation.ts'

/** Returns the name of an expectation, or one made of its matcher. */
export function nameExpectation (expectation: Expectation, index: number): string {
  const { name, request, callback, payment, inOrder } = expectation
  if (name !== undefined) return name
  const about = request ?? callback ?? payment
  const sort = Object.entries({ request, callback, payment, inOrder }).find(
    ([, matcher]) => matcher !== undefined
  )
  const detail = about === undefined ? '' : ` ${JSON.stringify(about).slice(0, 100)}`
  return `expectation ${index + 1}: ${sort?.[0] ?? ''}${detail}`
}
