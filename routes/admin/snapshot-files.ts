import { createInterface } from 'node:readline'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Type } from '../../src/lib/typebox.ts'
import { SnapshotAnswer, SnapshotRequest } from '../../src/admin-api/snapshots.ts'
import {
  SnapshotFileError,
  SnapshotGoneError,
  type SnapshotFiles,
  type Snapshots
} from '../../src/domain/account-tables.ts'
import { maxSnapshots } from '../../src/services/account-lifecycle.ts'
import { named } from '../http/server.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import { archiveType, sendArchive } from './reports.ts'
import { findSnapshot, showSnapshot } from './snapshots.ts'

export interface SnapshotFileParts {
  snapshots: Snapshots
  snapshotFiles: SnapshotFiles
}

const SnapshotName = Type.Object({ name: SnapshotRequest.properties.name })

/** Calls that write a snapshot to a file, and read one from a file. */
export function snapshotFileRoutes (app: TypedApp, parts: SnapshotFileParts): void {
  addExportRoute(app, parts)
  // In its own context, because its body is a file of any size.
  app.register(named('snapshot import', async (inlet: TypedApp) => addImportRoute(inlet, parts)))
}

function addExportRoute (app: TypedApp, { snapshots, snapshotFiles }: SnapshotFileParts): void {
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

function addImportRoute (app: TypedApp, { snapshots, snapshotFiles }: SnapshotFileParts): void {
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

/** Reads the lines of a compressed file. A file that cannot be used is refused with its reason. */
async function readFile (
  body: Readable,
  read: (lines: AsyncIterable<string>) => Promise<boolean>
): Promise<boolean> {
  const text = new PassThrough()
  let fault: Error | undefined
  const unpacked = pipeline(body, createGunzip(), text).catch((error: Error) => {
    fault = error
    text.end()
  })
  try {
    const result = await read(createInterface({ input: text, crlfDelay: Infinity }))
    await unpacked
    return result
  } catch (error) {
    text.resume()
    await unpacked
    if (fault !== undefined) throw noFile(`it cannot be unpacked (${fault.message})`)
    if (error instanceof SnapshotFileError) throw noFile(error.message)
    throw error
  }
}

function noFile (reason: string): AdminError {
  return new AdminError(
    'BAD_REQUEST',
    `the file cannot be used: ${reason}`,
    'send the file of GET /__admin/snapshots/{name}/file as it is'
  )
}
