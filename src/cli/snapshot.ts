import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { MomockError, type MomockClient } from '../client/client.ts'
import { exitCodes, type CommandInput, type RunCommand } from './command.ts'
import { makeFolder } from '../lib/folders.ts'
import { showLines } from '../lib/terminal-text.ts'
import { findRunningMock } from './running-mock.ts'

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
  given: string | undefined,
  { out, folder }: CommandInput
): Promise<number> {
  const path = resolve(folder, file)
  const bytes = await withSnapshot(client, given, async (name) => {
    if (given === undefined) await client.snapshot(name)
    return await client.exportSnapshot(name)
  })
  makeFolder(dirname(path))
  writeFileSync(path, bytes)
  out.write(`wrote ${file}, ${bytes.length} bytes\n`)
  return exitCodes.fine
}

async function importFile (
  client: MomockClient,
  file: string,
  given: string | undefined,
  { out, folder }: CommandInput
): Promise<number> {
  const bytes = new Uint8Array(readFileSync(resolve(folder, file)))
  const { payments } = await withSnapshot(client, given, async (name) => {
    const imported = await client.importSnapshot(name, bytes)
    if (given === undefined) await client.restore(name)
    return imported
  })
  const result = given === undefined ? 'the account is restored' : `stored as snapshot '${given}'`
  out.write(`${result}: ${payments} payments of ${file}\n`)
  return exitCodes.fine
}

/** Works with the given snapshot, or with one of a new name, which is deleted in any case. */
async function withSnapshot<T> (
  client: MomockClient,
  given: string | undefined,
  work: (name: string) => Promise<T>
): Promise<T> {
  if (given !== undefined) return await work(given)
  const name = `momock-file-${randomUUID()}`
  try {
    return await work(name)
  } finally {
    // It may not be there, or the mock has stopped: the error of the work says more.
    await client.deleteSnapshot(name).catch(() => {})
  }
}

function isFileFault (error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}
