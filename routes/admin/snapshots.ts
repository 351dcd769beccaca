import type { Static } from '@sinclair/typebox'
import { createEmptyAnswer } from '../../src/admin-api/fields.ts'
import {
  SnapshotAnswer,
  SnapshotList,
  SnapshotPath,
  SnapshotRequest
} from '../../src/admin-api/snapshots.ts'
import type { Account } from '../../src/domain/account.ts'
import {
  SnapshotFileError,
  type Snapshot,
  type Snapshots
} from '../../src/ports/account-tables.ts'
import { maxSnapshots } from '../../src/services/account-lifecycle.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError, suggestName } from './errors.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

/** Calls about snapshots: copies of a whole account that can be restored. */
export function snapshotRoutes (app: TypedApp, parts: AdminParts): void {
  addTakeRoute(app, parts)
  addReadRoutes(app, parts)
  addRestoreRoute(app, parts)
  addDeleteRoute(app, parts)
}

function addTakeRoute (app: TypedApp, { accountLifecycle }: AdminParts): void {
  app.post(
    '/snapshots',
    {
      config: {
        ...adminCall(
          'takeSnapshot',
          'Take a snapshot of this account',
          'It includes all: payments, money, callbacks, scenarios and their uses, outages, ' +
            'settings and the clock. A snapshot of the same name is replaced. Snapshots are kept ' +
            'across restarts and resets.'
        ),
        errors: [409]
      },
      schema: { body: SnapshotRequest, response: { 201: SnapshotAnswer } }
    },
    async ({ account, body: { name } }, reply) => {
      const snapshot = await accountLifecycle.takeSnapshot(account, name)
      if (snapshot === undefined) {
        throw new AdminError(
          'CONFLICT',
          `the account already has ${maxSnapshots} snapshots, the maximum`,
          'delete one with DELETE /__admin/snapshots/{name}'
        )
      }
      return reply.code(201).send(showSnapshot(snapshot))
    }
  )
}

function addReadRoutes (app: TypedApp, { snapshots }: AdminParts): void {
  app.get(
    '/snapshots',
    {
      config: adminCall('listSnapshots', 'List the snapshots of this account, oldest first'),
      schema: { response: { 200: SnapshotList } }
    },
    async ({ account }) => {
      const list = await snapshots.listSnapshots(account.id)
      return { snapshots: list.map(showSnapshot) }
    }
  )

  app.get(
    '/snapshots/:name',
    {
      config: { ...adminCall('getSnapshot', 'Show a snapshot of this account'), errors: [404] },
      schema: { params: SnapshotPath, response: { 200: SnapshotAnswer } }
    },
    async ({ account, params: { name } }) =>
      showSnapshot(await findSnapshot(snapshots, account, name))
  )
}

function addRestoreRoute (app: TypedApp, parts: AdminParts): void {
  const { snapshots, accountLifecycle, ids } = parts
  app.post(
    '/snapshots/:name/restore',
    {
      config: {
        ...adminCall(
          'restoreSnapshot',
          'Restore this account from a snapshot',
          'The clock continues from its time in the snapshot, so everything that was planned is ' +
            'as far ahead as it was. Callbacks that are being sent now are dropped; those that ' +
            'were pending in the snapshot are sent again. The journal is emptied.'
        ),
        repairs: true,
        errors: [404, 409]
      },
      schema: { params: SnapshotPath, response: { 200: SnapshotAnswer } }
    },
    async ({ account, params: { name } }) => {
      const snapshot = await findSnapshot(snapshots, account, name)
      const { seed } = snapshot.state
      if (seed !== ids.seed) {
        throw new AdminError(
          'CONFLICT',
          `snapshot '${snapshot.name}' was taken with the seed '${seed}', but this server has ` +
            `the seed '${ids.seed}', so payments would end differently`,
          `start the server with --seed '${seed}'`
        )
      }
      const restored = await accountLifecycle
        .restoreSnapshot(account, snapshot.name)
        .catch((error: unknown) => refuseImported(error))
      if (!restored) {
        throw new AdminError(
          'NOT_FOUND',
          `snapshot '${snapshot.name}' of this account was deleted`,
          'GET /__admin/snapshots lists all snapshots'
        )
      }
      return showSnapshot(snapshot)
    }
  )
}

function addDeleteRoute (app: TypedApp, { snapshots }: AdminParts): void {
  app.delete(
    '/snapshots/:name',
    {
      config: {
        ...adminCall('deleteSnapshot', 'Delete a snapshot of this account'),
        errors: [404]
      },
      schema: {
        params: SnapshotPath,
        response: { 204: createEmptyAnswer('The snapshot was deleted.') }
      }
    },
    async ({ account, params }, reply) => {
      const { name } = await findSnapshot(snapshots, account, params.name)
      await snapshots.deleteSnapshot(account.id, name)
      return reply.code(204).send()
    }
  )
}

function refuseImported (error: unknown): never {
  if (!(error instanceof SnapshotFileError)) throw error
  const problem = `the snapshot cannot be restored here: ${error.message}`
  throw new AdminError('CONFLICT', problem, 'reset or delete that account first')
}

/** Finds a snapshot, or suggests the nearest name. */
export async function findSnapshot (
  snapshots: Snapshots,
  account: Account,
  name: string
): Promise<Snapshot> {
  const snapshot = await snapshots.findSnapshot(account.id, name)
  if (snapshot !== undefined) return snapshot
  throw new AdminError(
    'NOT_FOUND',
    `this account has no snapshot '${name.slice(0, 64)}'`,
    suggestName(
      name,
      (await snapshots.listSnapshots(account.id)).map(({ name }) => name),
      'GET /__admin/snapshots lists all snapshots'
    )
  )
}

/** Shows a snapshot without its rows. */
export function showSnapshot ({
  name,
  taken,
  state,
  payments
}: Snapshot): Static<typeof SnapshotAnswer> {
  const { mode = 'running', speed = 1 } = state.clock ?? {}
  return {
    name,
    taken: new Date(taken).toISOString(),
    clock: { mode, now: new Date(state.now).toISOString(), speed },
    seed: state.seed,
    payments,
    scenarios: (state.rules ?? []).map(({ name }) => name)
  }
}
