import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Static } from '@sinclair/typebox'
import { VerifyRequest } from '../admin-api/verify.ts'
import { MomockError } from '../client/client.ts'
import type { VerifyResult } from '../client/types.ts'
import { ConfigError } from '../config/config.ts'
import { reportCoverage } from '../reports/coverage.ts'
import { reportVerification, type ExpectationFile } from '../reports/verify.ts'
import { readYamlFile, readYamlText } from '../lib/yaml-file.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { checkReportFiles, showReports } from './reports.ts'
import { findRunningMock } from './running-mock.ts'

type Expectations = Static<typeof VerifyRequest>['expectations']

/** `momock verify`: checks the expectations of a file with what a running mock has seen. */
export const run: RunCommand = async (input) => {
  const { words, flags, folder } = input
  const problems = checkReportFiles(input)
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
    const places = await findPlaces(file, folder, result)
    const isWritten = await showReports(input, {
      json: { ...result, coverage },
      reports: [
        reportVerification(expectations, result, places),
        ...(coverage === undefined ? [] : [reportCoverage(coverage, min)])
      ]
    })
    const isCovered = coverage === undefined || min === undefined || coverage.percent >= min
    return isWritten && result.passed && isCovered ? exitCodes.fine : exitCodes.failed
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

/** Finds the lines of the expectations that were not met. */
async function findPlaces (
  file: string,
  folder: string,
  { failed }: VerifyResult
): Promise<ExpectationFile> {
  const text = readFileSync(resolve(folder, file), 'utf8')
  const { problems } = await readYamlText(text, VerifyRequest, () =>
    failed.map(({ index }) => ({ path: `expectations.${index}`, message: String(index) }))
  )
  const lines = new Map(problems.map(({ line = 1, message }) => [Number(message), line]))
  return { file, lines }
}
