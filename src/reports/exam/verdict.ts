/** Words of a verdict: results, severities and depths. */

export const severities = ['low', 'medium', 'high', 'critical'] as const
export type Severity = (typeof severities)[number]

export const verdicts = ['PASSED', 'FAILED', 'WARNING', 'REVIEW', 'SKIPPED'] as const
export type Verdict = (typeof verdicts)[number]

/**
 * Depth of an exam: 0 knows the callback URL, 1 can also start payments, 2 can also see what was
 * booked.
 */
export type Depth = 0 | 1 | 2
