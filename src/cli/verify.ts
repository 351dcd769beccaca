import { appendFileSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Static } from '@sinclair/typebox'
import {
  listCoverageSuites,
  writeCoverageAnnotation,
  writeCoverageMarkdown
} from '../admin-api/coverage-report.ts'
import { VerifyRequest } from '../admin-api/verify.ts'
import {
  explainUnmet,
  listVerifyCases,
  writeVerifyAnnotations,
  writeVerifyMarkdown
} from '../admin-api/verify-report.ts'
import { MomockError } from '../client/client.ts'
import type { Coverage, VerifyResult } from '../client/types.ts'
import { ConfigError } from '../config/config.ts'
import { nameExpectation } from '../verification/expectation-name.ts'
import { paintText } from '../lib/colour.ts'
import { writeJunit } from '../lib/junit.ts'
import { readYamlFile, readYamlText } from '../lib/yaml-file.ts'
import { exitCodes, type CommandInput, type RunCommand } from './command.ts'
import { showLines, showText } from '../lib/terminal-text.ts'
import { checkReportFiles, chooseTextStream, writeReports } from './report-files.ts'
import { findRunningMock } from './running-mock.ts'

const reportNames = ['json', 'junit', 'markdown'] as const

type Expectations = Static<typeof VerifyRequest>['expectations']

interface Outcome {
  file: string
  expectations: Expectations
  result: VerifyResult
  coverage?: Coverage
  min?: number
}

/** `momock verify`: checks the expectations of a file with what a running mock has seen. */
export const run: RunCommand = async (input) => {
  const { words, flags, folder } = input
  const problems = checkReportFiles(reportNames, flags, folder)
  if (words.length !== 1) problems.push('name one file: momock verify FILE')
  const [file = ''] = words
  const expectations = words.length === 1 ? await readExpectations(file, folder, problems) : []
  const mock = await findRunningMock('verify', input, problems)
  if (mock === undefined) return exitCodes.address
  const min = typeof flags.min === 'number' ? flags.min : undefined
  try {
    const result = await mock.client.verify(expectations)
    const wantsCoverage = flags.coverage === true || min !== undefined
    const coverage = wantsCoverage ? await mock.client.coverage({ min }) : undefined
    return await showOutcome({ file, expectations, result, coverage, min }, input)
  } catch (error) {
    if (error instanceof MomockError) throw new ConfigError([error.message])
    throw error
  }
}

async function readExpectations (
  file: string,
  folder: string,
  problems: string[]
): Promise<Expectations> {
  const read = await readYamlFile(resolve(folder, file), VerifyRequest)
  problems.push(...read.problems)
  const { expectations = [] } = (read.value ?? {}) as Partial<Static<typeof VerifyRequest>>
  return expectations
}

/** Prints the outcome and writes the reports. Returns the exit code. */
async function showOutcome (outcome: Outcome, input: CommandInput): Promise<number> {
  const { file, expectations, result, coverage, min } = outcome
  const { env, folder } = input
  const markdown = (): string =>
    writeVerifyMarkdown(expectations, result) +
    (coverage === undefined ? '' : `\n${writeCoverageMarkdown(coverage, min)}`)
  const reports = {
    json: () => `${JSON.stringify({ ...result, coverage }, undefined, 2)}\n`,
    junit: () => writeSuites(outcome),
    markdown
  }
  const out = chooseTextStream(input, reportNames)
  for (const unmet of result.failed) {
    const name = nameExpectation(expectations[unmet.index], unmet.index)
    out.write(`${paintText('red', showText(`not met: ${name}`), out, env)}\n`)
    out.write(`  ${showLines(explainUnmet(unmet)).replaceAll('\n', '\n    ')}\n`)
  }
  const met = expectations.length - result.failed.length
  out.write(`${met} of ${expectations.length} expectations were met\n`)
  const isCovered = coverage === undefined || min === undefined || coverage.percent >= min
  if (coverage !== undefined) {
    const wanted = isCovered ? '' : `; ${min} is required`
    out.write(`${coverage.percent} percent is covered${wanted}\n`)
  }
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, markdown())
  if (env.GITHUB_ACTIONS === 'true') {
    const lines = await findLines(resolve(folder, file), result)
    out.write(writeVerifyAnnotations(expectations, result, file, lines))
    if (coverage !== undefined) out.write(writeCoverageAnnotation(coverage, min))
  }
  const isWritten = await writeReports(input, reports)
  return isWritten && result.passed && isCovered ? exitCodes.fine : exitCodes.failed
}

/** Writes both reports as one, because a build server reads one file. */
function writeSuites ({ expectations, result, coverage, min }: Outcome): string {
  return writeJunit('momock', [
    listVerifyCases(expectations, result),
    ...(coverage === undefined ? [] : listCoverageSuites(coverage, min))
  ])
}

/** Finds the lines of the expectations that were not met. */
async function findLines (path: string, { failed }: VerifyResult): Promise<Map<number, number>> {
  const { problems } = await readYamlText(readFileSync(path, 'utf8'), VerifyRequest, () =>
    failed.map(({ index }) => ({ path: `expectations.${index}`, message: String(index) }))
  )
  return new Map(problems.map(({ line = 1, message }) => [Number(message), line]))
}
