import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Static } from '@sinclair/typebox'
import { paintText } from '../lib/colour.ts'
import { createValidator } from '../lib/validator.ts'
import { MomockClient, MomockError } from '../client/client.ts'
import { ConfigError, type Config } from '../config/config.ts'
import { buildConfiguredCatalogue, chooseClientToken } from '../config/configured.ts'
import { lint, ruleNames, type LintReport } from '../lint/lint.ts'
import { buildFacts } from '../lint/facts.ts'
import { writeJunitReport, writeText } from '../lint/report.ts'
import { Type } from '../lib/typebox.ts'
import { exitCodes, type CommandInput, type RunCommand } from './command.ts'
import { suggestName } from '../config/flags.ts'
import { checkReportFiles, writeReports } from './report-files.ts'
import { isMomock, probeServer } from './probe.ts'
import { findMockUrl } from './mock-url.ts'

/** `momock lint`: what does the application do that v2 refuses, or that is unwise? */

const patienceMs = 3000

/** What the rules look at in an entry; it may hold more. */
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
    generation: Type.Optional(Type.String({ description: 'a string' })),
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

export const run: RunCommand = async (asked) => {
  const {
    words: [file, ...more],
    flags,
    folder,
    config
  } = asked
  const problems = checkReportFiles(['json', 'junit'], flags, folder)
  const ignored = readIgnoredRules(flags.ignore, problems)
  if (more.length > 0) problems.push('name one file: momock lint [FILE]')
  if (file !== undefined && flags.url !== undefined) {
    problems.push('name a file or a mock, not both: leave --url out')
  }
  const settings = await config()
  if (file !== undefined) {
    const entries = readJournal(file, folder, problems)
    if (problems.length > 0) throw new ConfigError(problems)
    const facts = buildFacts(buildConfiguredCatalogue(settings).countries, false)
    return await writeOutput(lint({ entries, facts }, ignored), asked)
  }
  const url = findMockUrl(flags.url, settings, problems)
  if (problems.length > 0) throw new ConfigError(problems)
  const visit = await probeServer(`${url}/health`, patienceMs)
  if (!isMomock(visit)) {
    asked.err.write(
      `momock lint cannot run: there is no momock at ${url} ` +
        `(${visit.problem ?? 'something else answers'}); ` +
        'start one, or say where it is with --url\n'
    )
    return exitCodes.address
  }
  return await writeOutput(await fetchReport(url, settings, ignored), asked)
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
      `${file}: ${form.first(journal)?.message ?? 'it is not a journal'}; ` +
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

/** The mock looks at its own journal: it knows its accounts and its catalogue. */
async function fetchReport (url: string, settings: Config, ignore: string[]): Promise<LintReport> {
  const token = chooseClientToken(settings)
  try {
    return await new MomockClient(url, token, settings.adminToken).call<LintReport>(
      'GET',
      `/lint?ignore=${ignore.join(',')}`
    )
  } catch (error) {
    if (error instanceof MomockError) throw new ConfigError([error.message])
    throw error
  }
}

/** Shows the report, and writes it where it was asked for. */
async function writeOutput (report: LintReport, asked: CommandInput): Promise<number> {
  const { out } = asked
  const colours = { refused: 'red', warning: 'yellow' } as const
  out.write(
    writeText(report, (line, severity) => paintText(colours[severity], line, out, asked.env))
  )
  const isWritten = await writeReports(asked, {
    json: () => `${JSON.stringify(report, undefined, 2)}\n`,
    junit: () => writeJunitReport(report)
  })
  return isWritten && report.passed ? exitCodes.fine : exitCodes.failed
}
