import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Type } from '../../src/lib/typebox.ts'
import { SnapshotAnswer, SnapshotRequest } from '../../src/admin-api/snapshots.ts'
import {
  SnapshotFileError,
  SnapshotGoneError,
  type SnapshotFiles
} from '../../src/ports/account-tables.ts'
import { maxSnapshots } from '../../src/services/account-lifecycle.ts'
import { named } from '../http/server.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import { archiveType, sendArchive } from './reports.ts'
import { findSnapshot, showSnapshot } from './snapshots.ts'
import type { AdminParts } from './parts.ts'

/** Most characters of a line: a row, and one with the file of a statement or of the settings. */
const longestLine = 4 * 2 ** 20
const longestLargeLine = 32 * 2 ** 20
const isLarge = (line: string): boolean => /^(\{|\["statements")/.test(line)
/** Most characters of a file: a million payments have less. */
const longestFile = 8 * 2 ** 30

const SnapshotName = Type.Object({ name: SnapshotRequest.properties.name })

/** Calls that write a snapshot to a file, and read one from a file. */
export function snapshotFileRoutes (app: TypedApp, parts: AdminParts): void {
  addExportRoute(app, parts)
  // In its own context, because its body is a file of any size.
  app.register(named('snapshot import', async (inlet: TypedApp) => addImportRoute(inlet, parts)))
}

function addExportRoute (app: TypedApp, { snapshots, snapshotFiles }: AdminParts): void {
  app.get(
    '/snapshots/:name/file',
    {
      config: {
        ...adminCall(
          'exportSnapshot',
          'Export a snapshot of this account as a file',
          'The file can be imported by a server of the same version.'
        ),
        errors: [404, 409]
      },
      schema: {
        params: SnapshotName,
        response: {
          200: {
            description: 'Compressed lines of JSON.',
            content: { [archiveType]: { schema: Type.String() } }
          }
        }
      }
    },
    async ({ account, params }, reply) => {
      const { name } = await findSnapshot(snapshots, account, params.name)
      const lines = readLines(snapshotFiles, account.id, name)
      return sendArchive(reply, lines, `${name}.snapshot.gz`)
    }
  )
}

/** Returns the lines of a snapshot. Throws the error of the call if it was deleted meanwhile. */
async function * readLines (
  snapshotFiles: SnapshotFiles,
  account: number,
  name: string
): AsyncIterable<string> {
  try {
    yield * snapshotFiles.readLines(account, name)
  } catch (error) {
    if (!(error instanceof SnapshotGoneError)) throw error
    throw new AdminError('CONFLICT', error.message, 'export it again, or another one')
  }
}

function addImportRoute (app: TypedApp, { snapshots, snapshotFiles }: AdminParts): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  app.put(
    '/snapshots/:name/file',
    {
      config: {
        ...adminCall(
          'importSnapshot',
          'Import a snapshot of this account from a file',
          'The body is the file of an export. A snapshot of the same name is replaced. The ' +
            'account itself changes only when the snapshot is restored.'
        ),
        errors: [409]
      },
      schema: { params: SnapshotName, response: { 201: SnapshotAnswer } }
    },
    async ({ account, params: { name }, body }, reply) => {
      if (!(body instanceof Readable)) throw noFile('the body is empty')
      const isStored = await readFile(body, (lines) =>
        snapshotFiles.storeLines(account.id, name, lines, maxSnapshots)
      )
      if (!isStored) {
        throw new AdminError(
          'CONFLICT',
          `the account already has ${maxSnapshots} snapshots, the maximum`,
          'delete one with DELETE /__admin/snapshots/{name}'
        )
      }
      return reply.code(201).send(showSnapshot(await findSnapshot(snapshots, account, name)))
    }
  )
}

/**
 * Reads the lines of a compressed file. A file that cannot be used is refused with its reason; the
 * rest of it is not unpacked.
 */
async function readFile (
  body: Readable,
  read: (lines: AsyncIterable<string>) => Promise<boolean>
): Promise<boolean> {
  const unpacked = createGunzip()
  const cutOff = (): void => {
    if (!body.readableEnded) unpacked.destroy(new Error('the upload was cut off'))
  }
  body.once('close', cutOff)
  // Whoever reads the lines gets the error, also if it comes before that.
  unpacked.on('error', () => {})
  body.pipe(unpacked)
  try {
    return await read(splitLines(unpacked.setEncoding('utf8')))
  } catch (error) {
    throw error instanceof SnapshotFileError ? noFile(error.message) : error
  } finally {
    body.off('close', cutOff)
    body.unpipe(unpacked)
    unpacked.destroy()
    // The client may be sending still, and reads the answer afterwards.
    body.resume()
  }
}

/** Splits texts into lines. Refuses a line or a file that is too long as soon as that is known. */
async function * splitLines (texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let total = 0
  let longest = longestLine
  try {
    for await (const text of texts) {
      total += text.length
      if (total > longestFile) throw new SnapshotFileError('it is larger than 8 GiB, unpacked')
      const lines = text.split('\n')
      // Only joined here: a search in a long beginning for each of its pieces would be quadratic.
      lines[0] = rest + lines[0]
      rest = lines.pop() ?? ''
      if (lines.length > 0 || rest.length === text.length) {
        longest = isLarge(rest) ? longestLargeLine : longestLine
      }
      if (rest.length > longest) {
        throw new SnapshotFileError('it has a line that is longer than any row')
      }
      yield * lines
    }
  } catch (error) {
    if (error instanceof SnapshotFileError) throw error
    throw new SnapshotFileError(`it cannot be unpacked (${(error as Error).message})`)
  }
  if (rest !== '') yield rest
}

function noFile (reason: string): AdminError {
  return new AdminError(
    'BAD_REQUEST',
    `the file cannot be used: ${reason}`,
    'send the file of GET /__admin/snapshots/{name}/file as it is'
  )
}
