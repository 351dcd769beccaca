import { Transform, type TransformCallback } from 'node:stream'

/**
 * Reporter of `npm test`. In a terminal it prints a line for each finished file, the failures with
 * their details, and the total; elsewhere the whole TAP. All failures stand once more at the end,
 * where a reader looks first. The reporter of tap draws the screen again for each of 17,000
 * assertions, which took 20 s of processor time.
 */
export default class Reporter extends Transform {
  #rest = ''
  /** True inside the details of a failure. */
  #isFailure = false
  /** True if the last failure was that of a test. Its details say only where it is. */
  #isTest = false
  /** Failures with their details, each before the names of its test and its file. */
  readonly #failures: string[] = []

  override _transform (chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const lines = (this.#rest + chunk.toString()).split('\n')
    this.#rest = lines.pop() ?? ''
    const shown = lines.filter((line) => this.#isShown(line))
    done(null, process.stdout.isTTY ? shown.map((line) => `${line}\n`).join('') : chunk)
  }

  override _flush (done: TransformCallback): void {
    const failures = this.#failures.map((line) => `# ${line}\n`).join('')
    done(null, failures === '' ? '' : `# Failures:\n${failures}`)
  }

  #isShown (line: string): boolean {
    const [, failed, directive] = /^\s*(not )?ok \d+.*?(# (?:TODO|SKIP).*)?$/.exec(line) ?? []
    const isNew = failed !== undefined && directive === undefined
    if (isNew) this.#isFailure = true
    else if (/^\s*(ok \d|# Subtest)/.test(line)) this.#isFailure = false
    if (isNew) this.#isTest = /^\s.* # time=/.test(line)
    if (isNew || (this.#isFailure && !this.#isTest)) this.#failures.push(line)
    const isShown = this.#isFailure || /^(ok|not ok|Bail out|# \{)/.test(line)
    // The details of a failure end with three dots.
    if (/^\s*\.\.\.$/.test(line)) this.#isFailure = false
    return isShown
  }
}
