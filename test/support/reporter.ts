import { Transform, type TransformCallback } from 'node:stream'

/**
 * Reporter of `npm test`. In a terminal it prints a line for each finished file, the failures with
 * their details, and the total; elsewhere the whole TAP. The reporter of tap draws the screen again
 * for each of 17,000 assertions, which took 20 s of processor time.
 */
export default class Reporter extends Transform {
  #rest = ''
  /** True inside the details of a failure. */
  #isFailure = false

  override _transform (chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (!process.stdout.isTTY) return done(null, chunk)
    const lines = (this.#rest + chunk.toString()).split('\n')
    this.#rest = lines.pop() ?? ''
    done(
      null,
      lines
        .filter((line) => this.#isShown(line))
        .map((line) => `${line}\n`)
        .join('')
    )
  }

  #isShown (line: string): boolean {
    const [, failed, directive] = /^\s*(not )?ok \d+.*?(# (?:TODO|SKIP).*)?$/.exec(line) ?? []
    if (failed !== undefined && directive === undefined) this.#isFailure = true
    else if (/^\s*(ok \d|# Subtest)/.test(line)) this.#isFailure = false
    const isOfFile = /^(ok|not ok|Bail out|# \{)/.test(line)
    const isShown = this.#isFailure || isOfFile
    // The details of a failure end with three dots.
    if (/^\s*\.\.\.$/.test(line)) this.#isFailure = false
    return isShown
  }
}
