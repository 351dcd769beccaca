import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock, formatTimestamp } from '../lib/clock.ts'
import { ConfigError } from '../config/config.ts'
import type { Contract } from '../conform/contract.ts'
import { buildCheck, judgeReply, type Check } from '../conform/judgement.ts'
import { loadOwnContract } from '../conform/own-contract.ts'
import { listSandboxProviders } from '../conform/sandbox-providers.ts'
import { readRecording, type Recording } from '../conform/recording.ts'
import { secretRemover, showUrl } from '../conform/redaction.ts'
import { countChecks, reportConformance, type ConformReport } from '../conform/report.ts'
import { chooseProvider } from '../conform/sandbox.ts'
import {
  checkServers,
  findObstacle,
  listOfferedProviders,
  type WritingProviders
} from '../conform/servers.ts'
import { version } from '../lib/package.ts'
import { exitCodes, type CommandInput, type RunCommand } from './command.ts'
import { readPlan, type ConformPlan } from './conform-plan.ts'
import { showReports } from './reports.ts'

type Findings = Pick<ConformReport, 'checks' | 'provider' | 'others' | 'questions'>

/** `momock conform`: compares a server, a recording or two servers with the contract. */
export const run: RunCommand = async (input) => {
  const plan = await readPlan(input)
  const contract = selectVersion(await loadOwnContract(), input.flags.apiVersion)
  const started = formatTimestamp(systemClock.now())
  if (plan.har !== undefined) {
    const recording = openRecording(plan.har, contract, plan, input)
    const findings = checkRecording(recording, contract)
    const subject = [plan.har]
    const about = { momock: version, started, mode: 'recording' as const, subject }
    return await writeOutput({ ...about, ...findings }, recording.secrets, input)
  }
  for (const target of plan.targets) {
    const obstacle = await findObstacle(target, contract)
    if (obstacle === undefined) continue
    input.err.write(`momock conform cannot run: ${obstacle.message}\n`)
    return obstacle.what === 'token' ? exitCodes.configuration : exitCodes.address
  }
  const { targets, seed } = plan
  const mode = targets.length === 2 ? 'comparison' : 'server'
  const subject = targets.map(({ url }) => showUrl(url))
  const findings = await checkAll(contract, plan)
  const report: ConformReport = { momock: version, started, mode, subject, seed, ...findings }
  return await writeOutput(
    report,
    targets.map(({ token }) => token),
    input
  )
}

function selectVersion (contract: Contract, version: unknown): Contract {
  const isWanted = (other: string): boolean => version === undefined || version === other
  return { ...contract, operations: contract.operations.filter((one) => isWanted(one.version)) }
}

async function checkAll (contract: Contract, plan: ConformPlan): Promise<Findings> {
  const writing = plan.isWriting ? await findProviders(contract, plan) : undefined
  const found = await checkServers(contract, plan.targets, plan.seed, writing)
  return { ...(writing !== undefined && { provider: writing.provider.provider }), ...found }
}

/** Finds providers for payments in the active configuration of the first server. */
async function findProviders (contract: Contract, plan: ConformPlan): Promise<WritingProviders> {
  const offered = await listOfferedProviders(plan.targets[0], contract)
  const known = listSandboxProviders()
  const provider = chooseProvider(known, plan.provider, offered)
  if (typeof provider === 'string') throw new ConfigError([provider])
  const whole = known.find((one) => one.isWhole && offered.includes(one.provider))
  return { provider, ...(whole !== undefined && { whole }) }
}

function openRecording (
  file: string,
  contract: Contract,
  { base }: ConformPlan,
  { folder }: CommandInput
): Recording {
  const recording = readRecording(readFile(file, folder), contract, base)
  if (typeof recording === 'string') throw new ConfigError([`--har: ${file}: ${recording}`])
  if (recording.exchanges.length === 0) {
    const below = base === undefined ? '' : ` below ${showUrl(base)}`
    const others = `it has ${recording.others.length} others`
    throw new ConfigError([`--har: ${file} has no request of this API${below}; ${others}`])
  }
  return recording
}

function checkRecording ({ exchanges, others }: Recording, contract: Contract): Findings {
  const reason = 'the recording has no answer'
  const checks = exchanges.map(({ question, reply }): Check =>
    reply === undefined
      ? { ...buildCheck(question, []), outcome: 'skipped', reason }
      : judgeReply(question, reply, contract)
  )
  return { checks, others }
}

function readFile (file: string, folder: string): string {
  try {
    return readFileSync(resolve(folder, file), 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError([`--har: ${file} cannot be read (${reason})`])
  }
}

/** Prints the report and writes the requested files. Returns the exit code. */
async function writeOutput (
  report: ConformReport,
  secrets: readonly string[],
  input: CommandInput
): Promise<number> {
  const summary = countChecks(report)
  const isWritten = await showReports(input, {
    json: { ...report, summary },
    reports: [reportConformance(report)],
    clean: secretRemover(secrets)
  })
  return isWritten && summary.failed === 0 ? exitCodes.fine : exitCodes.failed
}
