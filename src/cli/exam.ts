import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { catalogue, families, select } from '../exam/catalogue.ts'
import { lowestDepth, TargetProblem, type Check } from '../exam/check.ts'
import type { Severity } from '../reports/exam/verdict.ts'
import type { ExamConfig } from '../exam/config.ts'
import { examine, type Examined } from '../exam/exam.ts'
import { initialConfig } from '../exam/init.ts'
import { ConfigError } from '../exam/mock.ts'
import { describeUnproved, findingsOf, type Bar } from '../reports/exam/outcome.ts'
import { checkConfig, readConfig, readExpectations } from '../exam/read-config.ts'
import { progressOn } from '../exam/progress.ts'
import { reportExam } from '../reports/exam/cases.ts'
import { htmlReport } from '../reports/exam/page.ts'
import { languages, verificationIn, type Language } from '../exam/verification.ts'
import { createMomock } from '../index.ts'
import { exitCodes, type CommandInput, type RunCommand } from './command.ts'
import { showText } from '../lib/terminal-text.ts'
import { stopOnSignals } from './interruption.ts'
import { checkReportFiles, showReports } from './reports.ts'

/** `momock exam`: examines an application, and reports what is wrong with it. */

const usualFile = 'exam.yaml'

/** Flags of the command, as its schema gives them. */
interface Flags {
  callback?: string
  config?: string
  url?: string
  list?: boolean
  explain?: string
  expect?: string
  failOn: Severity
  strict?: boolean
  language?: Language
  parallel: number
  settle?: string
  patience?: string
  seed: string
  thisHostIsMine?: string
}

export const run: RunCommand = async (asked) => {
  const flags = asked.flags as unknown as Flags
  const { words, out, err } = asked
  if (words[0] === 'init') return await init(asked)
  if (flags.list === true) return print(out, listOf(catalogue))
  if (flags.explain !== undefined) return print(out, explain(flags.explain, flags.language))
  const { checks, unknown } = select(words)
  if (unknown.length > 0) {
    throw new ConfigError(
      unknown.map(
        (word) =>
          `'${word}' is neither a check nor a family of checks; momock exam --list shows all ` +
          'of them'
      )
    )
  }
  const { config, file } = await configOf(asked, flags)
  const problems = checkReportFiles(asked)
  if (problems.length > 0) throw new ConfigError(problems)
  const bar: Bar = { failOn: flags.failOn, strict: flags.strict === true }
  // A second signal ends the program, and with it the application that it has started.
  const { stop, release } = stopOnSignals()
  try {
    const examined = await examine({
      config,
      createMock: createMomock,
      checks,
      seed: flags.seed,
      folder: file === undefined ? asked.folder : dirname(resolve(asked.folder, file)),
      parallel: flags.parallel,
      stop,
      progress: {
        ...progressOn(err, checks.length),
        ready: (url, token) =>
          err.write(
            `The mock of the exam is at ${url}, the API token is ${token}; the application ` +
              'must be configured with both.\n'
          )
      },
      ...(flags.language !== undefined && { language: flags.language })
    })
    const { report } = examined
    const isWritten = await showReports(asked, {
      json: report,
      reports: [reportExam(report, bar, file)],
      html: () => htmlReport(report)
    })
    if (examined.shownAt !== undefined) err.write(`The report is at ${examined.shownAt}\n`)
    const code = exitCodeOf(asked, examined, bar)
    return isWritten || code !== exitCodes.fine ? code : exitCodes.failed
  } catch (error) {
    if (stop.aborted) {
      err.write('momock exam was interrupted before the first check\n')
      return exitCodes.failed
    }
    if (!(error instanceof TargetProblem)) throw error
    err.write(`momock exam cannot run: ${showText(error.message)}\n`)
    return error.isUsage ? exitCodes.configuration : exitCodes.address
  } finally {
    release()
  }
}

function exitCodeOf ({ err }: CommandInput, { report, problem }: Examined, bar: Bar): number {
  if (problem !== undefined) {
    err.write(`momock exam could not finish: ${showText(problem.message)}\n`)
    return exitCodes.address
  }
  if (findingsOf(report, bar).length > 0) return exitCodes.failed
  if (report.summary.interrupted !== undefined) return exitCodes.failed
  const unproved = describeUnproved(report)
  if (unproved === undefined) return exitCodes.fine
  err.write(`momock exam is no success: ${unproved}\n`)
  return exitCodes.address
}

/** The configuration from the file and the flags; flags win. */
async function configOf (
  { folder }: CommandInput,
  flags: Flags
): Promise<{ config: ExamConfig; file?: string }> {
  const { callback, url, settle, patience, thisHostIsMine, expect } = flags
  const implied =
    callback === undefined && existsSync(resolve(folder, usualFile)) ? usualFile : undefined
  const file = flags.config ?? implied
  const read = file === undefined ? {} : await readConfig(resolve(folder, file))
  const expected = expect === undefined ? {} : await readExpectations(resolve(folder, expect))
  if (callback === undefined && read.callback === undefined) {
    throw new ConfigError([
      'say where the application takes callbacks: --callback URL, or --config FILE; momock ' +
        'exam init writes one'
    ])
  }
  const config = checkConfig({
    ...read,
    ...(callback !== undefined && { callback }),
    ...(url !== undefined && { mock: { ...read.mock, url } }),
    ...(settle !== undefined && { settle }),
    ...(patience !== undefined && { patience }),
    ...(thisHostIsMine !== undefined && {
      hostsThatAreMine: [...(read.hostsThatAreMine ?? []), thisHostIsMine]
    }),
    expect: { ...read.expect, ...expected }
  })
  return { config, ...(file !== undefined && { file }) }
}

async function init ({ folder, words, out, err }: CommandInput): Promise<number> {
  if (words.length > 2) throw new ConfigError(['name one file: momock exam init [FILE]'])
  const name = words[1] ?? usualFile
  try {
    await writeFile(resolve(folder, name), initialConfig, { flag: 'wx' })
    out.write(`wrote ${name}\n\nNext: change the URLs in it, then momock exam --config ${name}\n`)
    return exitCodes.fine
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (!isThere) {
      err.write(
        `${name} cannot be written (${error instanceof Error ? error.message : String(error)})\n`
      )
    } else out.write(`kept  ${name}, which was there already\n`)
    return isThere ? exitCodes.fine : exitCodes.failed
  }
}

function print (out: CommandInput['out'], text: string): number {
  out.write(`${text}\n`)
  return exitCodes.fine
}

/** Every check in a line, by family. */
function listOf (rows: readonly Check[]): string {
  return Object.entries(families)
    .map(([prefix, name]) => {
      const own = rows.filter(({ id }) => id.startsWith(`${prefix}-`))
      return [
        name,
        ...own.map(
          ({ id, severity, depth, title }) =>
            `  ${id}  ${severity.padEnd(8)}  ${`[${depth.join('+')}]`.padEnd(5)}  ${title}`
        )
      ].join('\n')
    })
    .join('\n\n')
}

/** Description of a check. */
function explain (word: string, language: Language | undefined): string {
  const row = catalogue.find(({ id }) => id === word.toUpperCase())
  if (row === undefined) {
    throw new ConfigError([`'${word}' is not a check; momock exam --list shows all of them`])
  }
  const { id, title, severity, depth, requirement, does, shouldBe, why, fix, showsVerification } =
    row
  const lines =
    showsVerification === true && language !== undefined ? verificationIn(language) : undefined
  return [
    `${id}: ${title}`,
    '',
    `severity   ${severity}`,
    `depth      ${depth.join('+')} for a firm verdict; it runs from depth ${lowestDepth(row)} on`,
    `rule       ${requirement.rule} (${requirement.source})`,
    `the exam   ${does}`,
    `should be  ${shouldBe}`,
    `why        ${why}`,
    `fix        ${fix}`,
    ...(lines === undefined
      ? showsVerification === true
        ? [`           --language ${Object.keys(languages).join(', ')} shows the lines`]
        : []
      : ['', lines])
  ].join('\n')
}
