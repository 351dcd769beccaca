import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { makeFolder } from '../lib/folders.ts'
import type { CommandInput } from './command.ts'

/** Report files of a command. A flag names each file; `-` is the standard output. */
const standardOutput = '-'

/**
 * Checks that the report files can be written, and creates their folders. Returns a problem for
 * each that cannot.
 */
export function checkReportFiles (
  names: readonly string[],
  flags: CommandInput['flags'],
  folder: string
): string[] {
  const [first, second] = names.filter((name) => flags[name] === standardOutput)
  const mixed =
    second === undefined
      ? []
      : [`--${first} and --${second} cannot both be the standard output; name a file for one`]
  return [
    ...mixed,
    ...names.flatMap((name) => {
      const path = flags[name]
      if (typeof path !== 'string' || path === standardOutput) return []
      return tryToWrite(name, path, folder)
    })
  ]
}

/** Opens the file, because permissions do not tell all. A new file is removed again. */
function tryToWrite (flag: string, path: string, folder: string): string[] {
  const file = resolve(folder, path)
  const isNew = !existsSync(file)
  try {
    makeFolder(dirname(file))
    closeSync(openSync(file, 'a'))
    if (isNew) rmSync(file)
    return []
  } catch (error) {
    return [`--${flag}: ${path} cannot be written (${describeError(error)})`]
  }
}

/** Returns the stream for the text of a command: not the one that carries a report. */
export function chooseTextStream (
  { flags, out, err }: CommandInput,
  names: readonly string[]
): CommandInput['out'] {
  return names.some((name) => flags[name] === standardOutput) ? err : out
}

/** Writes the requested reports. Returns false if one cannot be written. */
export async function writeReports (
  input: CommandInput,
  texts: Record<string, () => string | Promise<string>>
): Promise<boolean> {
  const { flags, folder, out, err } = input
  const text = chooseTextStream(input, Object.keys(texts))
  let isWritten = true
  for (const [name, write] of Object.entries(texts)) {
    const path = flags[name]
    if (typeof path !== 'string') continue
    if (path === standardOutput) {
      out.write(await write())
      continue
    }
    try {
      writeFileSync(resolve(folder, path), await write())
      text.write(`wrote ${path}\n`)
    } catch (error) {
      err.write(`${path} cannot be written (${describeError(error)})\n`)
      isWritten = false
    }
  }
  return isWritten
}

function describeError (error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
