/** Change of the source that at least one test must notice. */
export interface Mutant {
  name: string
  file: string
  /** Text that stands exactly once in the file. */
  text: string
  replacement: string
  /** Test files that must fail, each of them. */
  tests: readonly string[]
}

/** Returns the source with the change, or throws if the text does not stand there exactly once. */
export function applyMutant ({ name, file, text, replacement }: Mutant, source: string): string {
  const [before, after, ...more] = source.split(text)
  if (after === undefined || more.length > 0) {
    const count = more.length + (after === undefined ? 0 : 1)
    throw new Error(
      `mutant '${name}': the text stands ${count} times in ${file}, it must stand once; ` +
        'change the row of the mutant to the new source'
    )
  }
  return before + replacement + after
}
