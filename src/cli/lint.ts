import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Static } from '@sinclair/typebox'
import { createValidator } from '../lib/validator.ts'
import { MomockError, type MomockClient } from '../client/client.ts'
import { ConfigError } from '../config/config.ts'
import { buildConfiguredCatalogue } from '../config/configured.ts'
import { lint, ruleNames, type LintReport } from '../lint/lint.ts'
import { buildFacts } from '../lint/facts.ts'
import { reportLint } from '../lint/report.ts'
import { Type } from '../lib/typebox.ts'
import { exitCodes, type CommandInput, type RunCommand } from './command.ts'
import { suggestName } from '../config/flags.ts'
import { checkReportFiles, showReports } from './reports.ts'
import { findRunningMock } from './running-mock.ts'

/** Fields of a journal entry that the rules use. Other fields are ignored. */
const SavedEntry = Type.Object(
  {
    id: Type.Integer({ description: 'a whole number' }),
    request: Type.Object(
      {
        method: Type.String({ description: 'a string' }),
        url: Type.String({ description: 'a string' }),
        path: Type.String({ description: 'a string' }),
        headers: Type.Record(Type.String(), Type.Unknown(), { description: 'an object' }),
        body: Type.Optional(Type.Unknown()),
        loggedDate: Type.Number({ description: 'a time in milliseconds' })
      },
      { description: 'an object' }
    ),
    response: Type.Object(
      {
        status: Type.Integer({ description: 'a whole number' }),
        body: Type.Optional(Type.Unknown()),
        fault: Type.Optional(Type.String({ description: 'a string' }))
      },
      { description: 'an object' }
    ),
    version: Type.Optional(Type.String({ description: 'a string' })),
    operation: Type.Optional(Type.String({ description: 'a string' })),
    payments: Type.Array(Type.Object({ kind: Type.String(), id: Type.String() }), {
      description: 'a list of { kind, id }'
    }),
    signature: Type.Optional(
      Type.Object(
        { valid: Type.Boolean(), problems: Type.Array(Type.String()) },
        { description: '{ valid, problems }' }
      )
    )
  },
  { description: 'an entry of the journal' }
)

const SavedJournal = Type.Object(
  { requests: Type.Array(SavedEntry, { description: 'the list of a saved journal' }) },
  { description: '{ "requests": [ … ] }, as GET /__admin/requests answers it' }
)

/** `momock lint`: checks the requests of an application. */
export const run: RunCommand = async (input) => {
  const {
    words: [file, ...more],
    flags,
    folder,
    config
  } = input
  const problems = checkReportFiles(input)
  const ignored = readIgnoredRules(flags.ignore, problems)
  if (more.length > 0) problems.push('only one file can be checked: momock lint [FILE]')
  if (file !== undefined && flags.url !== undefined) {
    problems.push('a file and --url exclude each other; remove --url')
  }
  const settings = await config()
  if (file !== undefined) {
    const entries = readJournal(file, folder, problems)
    if (problems.length > 0) throw new ConfigError(problems)
    const facts = buildFacts(buildConfiguredCatalogue(settings).countries, false)
    return await writeOutput(lint({ entries, facts }, ignored), input)
  }
  const mock = await findRunningMock('lint', input, problems)
  if (mock === undefined) return exitCodes.address
  return await writeOutput(await fetchReport(mock.client, ignored), input)
}

function readIgnoredRules (given: unknown, problems: string[]): string[] {
  const names =
    typeof given === 'string'
      ? given
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
      : []
  for (const name of names) {
    if (!ruleNames.includes(name)) {
      problems.push(
        `--ignore: there is no rule '${name}'${suggestName(name, ruleNames, 'momock lint')}`
      )
    }
  }
  return names
}

function readJournal (
  file: string,
  folder: string,
  problems: string[]
): Static<typeof SavedEntry>[] {
  try {
    const saved: unknown = JSON.parse(readFileSync(resolve(folder, file), 'utf8'))
    const journal: unknown = Array.isArray(saved) ? { requests: saved } : saved
    const form = createValidator(SavedJournal)
    if (form.check(journal)) return journal.requests
    problems.push(
      `${file}: ${form.first(journal)?.message ?? 'this is not a journal'}; ` +
        "save one with curl -s 'http://127.0.0.1:7070/__admin/requests?limit=1000'"
    )
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    problems.push(
      error instanceof SyntaxError
        ? `${file} is not JSON (${reason})`
        : `${file} cannot be read (${reason})`
    )
  }
  return []
}

/** Fetches the report of a running mock, which knows its accounts and its catalogue. */
async function fetchReport (client: MomockClient, ignore: string[]): Promise<LintReport> {
  try {
    return await client.call<LintReport>('GET', `/lint?ignore=${ignore.join(',')}`)
  } catch (error) {
    if (error instanceof MomockError) throw new ConfigError([error.message])
    throw error
  }
}

/** Prints the report and writes the requested files. Returns the exit code. */
async function writeOutput (report: LintReport, input: CommandInput): Promise<number> {
  const isWritten = await showReports(input, { json: report, reports: [reportLint(report)] })
  return isWritten && report.passed ? exitCodes.fine : exitCodes.failed
}
