import { parseArgs } from 'node:util'
import { anySeed } from './random.ts'

/** Options of a harness on the command line: numbers with their defaults. A seed is always one. */
export function readOptions<Name extends string> (
  defaults: Record<Name, number>
): Record<Name | 'seed', number> {
  const all: Record<string, number> = { seed: anySeed(), ...defaults }
  const options = Object.fromEntries(Object.keys(all).map((name) => [name, stringOption]))
  const { values } = parseArgs({ options })
  for (const [name, text] of Object.entries(values)) {
    const value = Number(text)
    if (!Number.isFinite(value) || value < 0) {
      throw new Error(`--${name} must be a number of 0 or more, not '${String(text)}'`)
    }
    all[name] = value
  }
  console.log(
    Object.entries(all)
      .map(([name, value]) => `--${name} ${value}`)
      .join(' ')
  )
  return all
}

const stringOption: { type: 'string' } = { type: 'string' }
