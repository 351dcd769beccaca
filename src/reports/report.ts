/** What a command has checked and found. Each format has one writer for it. */

/** Verdicts, the worst first. */
export const verdicts = ['failed', 'warning', 'review', 'skipped', 'passed'] as const
export type Verdict = (typeof verdicts)[number]

/** Line of a case. The label can be empty. */
export type Detail = [label: string, text: string]

export interface Case {
  /** Name that is the same in each run, whatever the verdict is. */
  name: string
  verdict: Verdict
  /** Does it end the command with an error? Without it, a failed case does. */
  counts?: boolean
  /** Word of the verdict for readers, such as `differs`. */
  label?: string
  /** What readers see instead of the name. */
  title?: string
  /** What was seen. */
  message?: string
  details?: Detail[]
  /** Command that repeats the case. */
  command?: string
  /** Lines of code that mend it. A terminal shows them once. */
  sample?: string
  /** Text of an annotation, if it is shorter than message and details. */
  annotation?: string
  /** Place in the user's files. */
  file?: string
  line?: number
}

export interface Suite {
  name: string
  /** What readers see instead of the name. */
  title?: string
  cases: Case[]
}

export interface Report {
  /** Name of all suites for build servers. */
  name: string
  title: string
  /** The result in a sentence. */
  summary: string
  /** Lines after the summary. */
  notes?: string[]
  suites: Suite[]
  /** What a terminal shows: a tree of all cases, those with findings, or only the summary. */
  shows: 'tree' | 'findings' | 'summary'
  /** Lists of what was seen without a verdict. */
  lists?: Array<{ title: string; lines: string[] }>
  /** Table of Markdown. Without it, it has a row for each case. */
  table?: { head: string[]; rows: string[][] }
}

/** Does a case end the command with an error? */
export function isFailure ({ verdict, counts = verdict === 'failed' }: Case): boolean {
  return counts
}

/** Has a case something to say, although it may not count? */
export function isFinding (one: Case): boolean {
  return one.verdict === 'failed' || one.verdict === 'warning' || isFailure(one)
}

export function hasFailed (reports: readonly Report[]): boolean {
  return reports.some((report) => listCases(report).some(isFailure))
}

export function listCases ({ suites }: Report): Case[] {
  return suites.flatMap(({ cases }) => cases)
}

/** Cases with the worst first. Those with the same verdict keep their order. */
export function worstFirst (cases: readonly Case[]): Case[] {
  return cases.toSorted(
    (one, other) => verdicts.indexOf(one.verdict) - verdicts.indexOf(other.verdict)
  )
}

/** Describes what was seen, a line each: the message, the details and the command. */
export function describeCase ({ message, details = [], command }: Case): string[] {
  const width = Math.max(...details.map(([label]) => (label === '' ? 0 : label.length + 2)), 0)
  const line = ([label, text]: Detail): string =>
    (label === '' ? ' '.repeat(width) : `${label}: `.padEnd(width)) + text
  return [
    ...(message === undefined ? [] : [message]),
    ...details.map(line),
    ...(command === undefined ? [] : [line(['', command])])
  ]
}
