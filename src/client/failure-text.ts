import { describeDifference } from '../domain/difference-text.ts'
import type { VerifyResult } from './responses.ts'

type Failed = VerifyResult['failed']

/** Writes the expectations that were not met, each with the nearest candidate. */
export function describeFailures (failed: Failed): string {
  return failed.map(describeFailure).join('\n\n')
}

function describeFailure ({ name, message, nearest }: Failed[number]): string {
  return [
    name === undefined ? message : `${name}: ${message}`,
    ...(nearest === undefined ? [] : [`nearest: ${nearest.summary}`]),
    ...(nearest?.differences.map((difference) => `  ${describeDifference(difference)}`) ?? [])
  ].join('\n')
}
