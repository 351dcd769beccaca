import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { MomockError, type MomockClient } from '../client/client.ts'
import { exitCodes, type CommandInput, type RunCommand } from './command.ts'
import { showLines } from '../lib/terminal-text.ts'
import { findRunningMock } from './running-mock.ts'

/** Name of the snapshot that an export takes and an import stores, unless the user names one. */
const ownName = 'momock-file'

const actions = { export: exportFile, import: importFile } as const

/** `momock snapshot`: writes a snapshot of a running mock to a file, or reads one. */
export const run: RunCommand = async (input) => {
  const {
    words: [action, file, ...more],
    flags
  } = input
  const problems: string[] = []
  if (action !== 'export' && action !== 'import') {
    problems.push(`say export or import${action === undefined ? '' : `, not '${action}'`}`)
  }
  if (file === undefined) problems.push('name the file: momock snapshot export FILE')
  if (more.length > 0) problems.push('only one file can be named')
  const mock = await findRunningMock('snapshot', input, problems)
  if (mock === undefined) return exitCodes.address
  const name = typeof flags.name === 'string' ? flags.name : undefined
  try {
    return await actions[action as keyof typeof actions](mock.client, file, name, input)
  } catch (error) {
    if (!(error instanceof MomockError) && !isFileFault(error)) throw error
    input.err.write(`${showLines(error.message)}\n`)
    return exitCodes.failed
  }
}

async function exportFile (
  client: MomockClient,
  file: string,
  name: string | undefined,
  { out, folder }: CommandInput
): Promise<number> {
  if (name === undefined) await client.snapshot(ownName)
  const bytes = await client.exportSnapshot(name ?? ownName)
  if (name === undefined) await client.deleteSnapshot(ownName)
  writeFileSync(resolve(folder, file), bytes)
  out.write(`wrote ${file}, ${bytes.length} bytes\n`)
  return exitCodes.fine
}

async function importFile (
  client: MomockClient,
  file: string,
  name: string | undefined,
  { out, folder }: CommandInput
): Promise<number> {
  const bytes = new Uint8Array(readFileSync(resolve(folder, file)))
  const { payments } = await client.importSnapshot(name ?? ownName, bytes)
  if (name === undefined) {
    await client.restore(ownName)
    await client.deleteSnapshot(ownName)
  }
  const result = name === undefined ? 'the account is restored' : `stored as snapshot '${name}'`
  out.write(`${result}: ${payments} payments of ${file}\n`)
  return exitCodes.fine
}

function isFileFault (error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}
