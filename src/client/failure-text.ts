import { describeDifference } from '../verification/difference-text.ts'
import { nameExpectation } from '../verification/expectation-name.ts'
import type { Expectation, VerifyResult } from './types.ts'

type Failed = VerifyResult['failed']

/** Writes the expectations that were not met, each with the nearest candidate. */
export function describeFailures (expectations: readonly Expectation[], failed: Failed): string {
  return failed.map((one) => describeFailure(expectations[one.index], one)).join('\n\n')
}

function describeFailure (
  expectation: Expectation,
  { index, message, nearest }: Failed[number]
): string {
  return [
    `${nameExpectation(expectation, index)}: ${message}`,
    ...(nearest === undefined ? [] : [`nearest: ${nearest.summary}`]),
    ...(nearest?.differences.map((difference) => `  ${describeDifference(difference)}`) ?? [])
  ].join('\n')
}
