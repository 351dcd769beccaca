import { Transform, type TransformCallback } from 'node:stream'

/**
 * Reporter of `npm test`: a line for each group, the failures with their details, and at the end
 * all failures once more, what was skipped, and the total. The TAP of each group is a file in
 * `.tap/test-results`. The reporter of tap draws the screen again for each of 17,000 assertions,
 * which took 20 s of processor time.
 */
export default class Reporter extends Transform {
  #rest = ''
  /** True inside the details of a failure. */
  #isFailure = false
  /** True if the last failure was that of a test. Its details say only where it is. */
  #isTest = false
  /** Failures with their details, each before the names of its test and its file. */
  readonly #failures: string[] = []
  /** Skipped tests by their reason. */
  readonly #skipped = new Map<string, string[]>()
  #total = ''

  override _transform (chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const lines = (this.#rest + chunk.toString()).split('\n')
    this.#rest = lines.pop() ?? ''
    const shown = lines.filter((line) => this.#isShown(line))
    done(null, shown.map((line) => `${line}\n`).join(''))
  }

  override _flush (done: TransformCallback): void {
    const lines: string[] = []
    if (this.#failures.length > 0) lines.push('# Failures:', ...this.#failures.map(quote))
    for (const [reason, names] of this.#skipped) lines.push(describeSkipped(reason, names))
    lines.push(this.#total)
    done(null, lines.map((line) => `${line}\n`).join(''))
  }

  #isShown (line: string): boolean {
    const [, failed, directive, reason = ''] =
      /^\s*(not )?ok \d+.*?(# (?:TODO|SKIP) ?(.*))?$/.exec(line) ?? []
    if (directive?.startsWith('# SKIP') === true) this.#addSkipped(reason, line)
    const isNew = failed !== undefined && directive === undefined
    if (isNew) this.#isFailure = true
    else if (/^\s*(ok \d|# (Subtest|\{))/.test(line)) this.#isFailure = false
    if (isNew) this.#isTest = /^\s.* # time=/.test(line)
    if (isNew || (this.#isFailure && !this.#isTest)) this.#failures.push(line)
    if (line.startsWith('# {')) this.#total = describeTotal(line)
    const isShown = this.#isFailure || /^(ok|not ok|Bail out)/.test(line)
    // The details of a failure end with three dots.
    if (/^\s*\.\.\.$/.test(line)) this.#isFailure = false
    return isShown
  }

  #addSkipped (reason: string, line: string): void {
    const names = this.#skipped.get(reason) ?? []
    names.push(/ok \d+ - (.*?) # SKIP/.exec(line)?.[1] ?? line.trim())
    this.#skipped.set(reason, names)
  }
}

function quote (line: string): string {
  return `# ${line}`
}

/** What takes long is skipped in each run, so its names would hide the others. */
function describeSkipped (reason: string, names: string[]): string {
  const count = names.length === 1 ? '1 test' : `${names.length} tests`
  const list = reason.includes('npm run test:full') ? '' : `: ${names.join('; ')}`
  return `# skipped ${count} (${reason === '' ? 'no reason' : reason})${list}`
}

/** `# { total: 3, pass: 2, fail: 1 }` as a sentence. */
function describeTotal (line: string): string {
  const count = (name: string): number =>
    Number(new RegExp(`\\b${name}: (\\d+)`).exec(line)?.[1] ?? 0)
  const skipped = count('skip') + count('todo')
  return `${count('pass')} passed, ${count('fail')} failed, ${skipped} skipped`
}
