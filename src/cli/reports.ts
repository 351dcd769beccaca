import { appendFileSync, closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { makeFolder } from '../lib/folders.ts'
import { text, Type } from '../lib/typebox.ts'
import { writeAnnotations } from '../reports/annotations.ts'
import { writeConsole } from '../reports/console.ts'
import { writeJunit } from '../reports/junit.ts'
import { writeMarkdown } from '../reports/markdown.ts'
import type { Report } from '../reports/report.ts'
import type { CommandInput } from './command.ts'

/** Reports of a command: on the terminal, in files, and in the summary of a job. */

const formats = { json: 'JSON', junit: 'JUnit XML', markdown: 'Markdown', html: 'a page' }
type Format = keyof typeof formats
const names = Object.keys(formats) as Format[]

/** Name of a file that is the standard output. */
const standardOutput = '-'

/** Creates the flags that name the file of a report. */
export function reportFlags<F extends Format> (...wanted: F[]) {
  const createFile = (format: F) =>
    Type.Optional(
      text(`a file for the report as ${formats[format]}; - for the standard output`)
    )
  return Object.fromEntries(wanted.map((format) => [format, createFile(format)]))
}

/**
 * Checks that the report files can be written, and creates their folders. Returns a problem for
 * each that cannot.
 */
export function checkReportFiles ({
  flags,
  folder
}: Pick<CommandInput, 'flags' | 'folder'>): string[] {
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
export function chooseTextStream ({ flags, out, err }: CommandInput): CommandInput['out'] {
  return names.some((name) => flags[name] === standardOutput) ? err : out
}

/** Writes the requested reports. Returns false if one cannot be written. */
export async function writeReports (
  input: CommandInput,
  texts: Partial<Record<Format, () => string | Promise<string>>>
): Promise<boolean> {
  const { flags, folder, out, err } = input
  const text = chooseTextStream(input)
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

export interface ShownReports {
  /** Content of the JSON file. */
  json: object
  reports: readonly Report[]
  html?: () => string
  /** Removes the secrets of a text. */
  clean?: (text: string) => string
}

/**
 * Shows reports on the terminal, writes the requested files, and tells GitHub Actions. Returns
 * false if a file cannot be written.
 */
export async function showReports (
  input: CommandInput,
  { json, reports, html, clean = (text) => text }: ShownReports
): Promise<boolean> {
  const { env } = input
  const out = chooseTextStream(input)
  for (const report of reports) out.write(clean(writeConsole(report, out, env)))
  if (env.GITHUB_STEP_SUMMARY) {
    appendFileSync(env.GITHUB_STEP_SUMMARY, clean(writeMarkdown(reports)))
  }
  if (env.GITHUB_ACTIONS === 'true') out.write(clean(reports.map(writeAnnotations).join('')))
  return await writeReports(input, {
    json: () => clean(`${JSON.stringify(json, undefined, 2)}\n`),
    junit: () => clean(writeJunit(reports)),
    markdown: () => clean(writeMarkdown(reports)),
    ...(html !== undefined && { html })
  })
}

function describeError (error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
