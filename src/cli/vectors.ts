import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError } from '../config/config.ts'
import { makeVectors, type Vector } from '../vectors/vectors.ts'
import { exitCodes, type RunCommand } from './command.ts'

/** `momock vectors`: writes signed callbacks, genuine and forged, into a folder. */
export const run: RunCommand = async ({ words, flags, folder: here, out, err }) => {
  const { seed, time: text } = flags as { seed: string; time: string }
  const time = Date.parse(text)
  const problems = [
    ...(words.length > 1 ? ['name one folder: momock vectors [FOLDER]'] : []),
    ...(Number.isFinite(time) ? [] : ['--time must be a time such as 2026-01-31T12:00:00Z'])
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  const folder = words[0] ?? 'vectors'
  const vectors = await makeVectors({ seed, time })
  try {
    mkdirSync(resolve(here, folder), { recursive: true })
    for (const vector of vectors) {
      writeFileSync(resolve(here, folder, `${vector.name}.json`), writeVector(vector))
    }
  } catch (error) {
    err.write(`${folder} cannot be written (${(error as Error).message})\n`)
    return exitCodes.failed
  }
  const count = (decision: Vector['decision']): number =>
    vectors.filter((vector) => vector.decision === decision).length
  out.write(
    `wrote ${vectors.length} vectors to ${join(folder, '/')}: ${count('accept')} to accept, ` +
      `${count('refuse')} to refuse, ${count('either')} that may be either\n`
  )
  return exitCodes.fine
}

function writeVector (vector: Vector): string {
  return `${JSON.stringify(vector, null, 2)}\n`
}
