import fc from 'fast-check'
import { anyCommand } from './generator.ts'
import { newModel, type Model } from './state.ts'
import type { Laboratory, System } from './system.ts'

export interface ModelOptions {
  runs: number
  seed: number
  /** Where to go on in shrinking, as a failure has printed it. */
  path?: string
  /** At most so many commands in a run. */
  longest?: number
}

/** Random sequences of commands; what fails is made shorter, and printed with its seed. */
export async function runModel (laboratory: Laboratory, options: ModelOptions): Promise<void> {
  const { runs, seed, path, longest = 25 } = options
  const sequences = fc.commands([anyCommand], { maxCommands: longest, size: 'max' })
  await fc.assert(
    fc.asyncProperty(sequences, (sequence) => runCommands(laboratory, sequence)),
    { numRuns: runs, seed, includeErrorInReport: true, ...(path !== undefined && { path }) }
  )
}

/** Does the commands to an account of its own and to the model. */
export async function runCommands (
  laboratory: Laboratory,
  commands: Iterable<fc.AsyncCommand<Model, System, boolean>>
): Promise<void> {
  const real = await laboratory.newSystem()
  await fc.asyncModelRun(() => ({ model: newModel(), real }), commands)
}
