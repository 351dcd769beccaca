import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import type { Account } from '../../src/domain/account.ts'
import type { Snapshot, Snapshots } from '../../src/domain/account-tables.ts'
import type { Ids } from '../../src/lib/ids.ts'
import { maxSnapshots, type AccountLifecycle } from '../../src/services/account-lifecycle.ts'
import { closed, DateTime, wordOf } from '../../src/wire/fields.ts'
import { adminCall, AdminError, suggestName } from './guard.ts'

const Name = Type.String({
  pattern: '^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,64}$',
  description: '1 to 64 letters, digits, dots, dashes or underscores, and not . or ..',
  examples: ['paid-once']
})
const params = Type.Object({
  name: Type.String({ description: 'the name of the snapshot', examples: ['paid-once'] })
})

export const SnapshotAnswer = Type.Object(
  {
    name: Type.String(),
    taken: Type.String({ ...DateTime, description: 'when it was taken, by the machine' }),
    clock: Type.Object(
      { mode: wordOf('running', 'frozen'), now: DateTime, speed: Type.Number() },
      { ...closed, description: 'what the clock of the account showed' }
    ),
    seed: Type.String({ description: 'the seed of the server it was taken on' }),
    payments: Type.Integer({ minimum: 0 }),
    scenarios: Type.Array(Type.String(), { description: 'the scenarios that had been added' })
  },
  closed
)

/** Copies of a whole account, to go back to. */
export function snapshotRoutes (
  app: FastifyInstance,
  snapshots: Snapshots,
  accountLifecycle: AccountLifecycle,
  ids: Ids
): void {
  /** A snapshot of the account, or a refusal that names those there are. */
  const found = async (account: Account, name: string): Promise<Snapshot> => {
    const snapshot = await snapshots.findSnapshot(account.id, name)
    if (snapshot !== undefined) return snapshot
    throw new AdminError(
      'NOT_FOUND',
      `this account has no snapshot '${name.slice(0, 64)}'`,
      suggestName(
        name,
        (await snapshots.listSnapshots(account.id)).map(({ name }) => name),
        'GET /__admin/snapshots lists them'
      )
    )
  }

  app.post(
    '/snapshots',
    {
      config: adminCall(
        'takeSnapshot',
        'Keep this account as it is now, to go back to',
        'All of it: payments, money, callbacks, scenarios and how often they were used, ' +
          'outages, settings, the clock. One of the same name is replaced. It outlives a ' +
          'restart and a reset.'
      ),
      schema: {
        body: Type.Object(
          { name: Name },
          { ...closed, description: '{ name }', examples: [{ name: 'paid-once' }] }
        ),
        response: { 201: SnapshotAnswer }
      }
    },
    async (request, reply) => {
      const { name } = request.body as { name: string }
      const snapshot = await accountLifecycle.takeSnapshot(request.account, name)
      if (snapshot === undefined) {
        throw new AdminError(
          'CONFLICT',
          `the account has ${maxSnapshots} snapshots already`,
          'DELETE /__admin/snapshots/{name} makes room'
        )
      }
      return reply.code(201).send(showSnapshot(snapshot))
    }
  )

  app.get(
    '/snapshots',
    {
      config: adminCall('listSnapshots', 'The snapshots of this account, oldest first'),
      schema: { response: { 200: Type.Object({ snapshots: Type.Array(SnapshotAnswer) }, closed) } }
    },
    async ({ account }) => ({
      snapshots: (await snapshots.listSnapshots(account.id)).map(showSnapshot)
    })
  )

  app.get(
    '/snapshots/:name',
    {
      config: adminCall('getSnapshot', 'One snapshot of this account'),
      schema: { params, response: { 200: SnapshotAnswer } }
    },
    async ({ account, params }) =>
      showSnapshot(await found(account, (params as { name: string }).name))
  )

  app.post(
    '/snapshots/:name/restore',
    {
      config: adminCall(
        'restoreSnapshot',
        'Put this account back to a snapshot',
        'Its clock shows again what it showed then, and goes on from there: what was planned ' +
          'comes as far ahead as it was. Callbacks on their way now are given up; those that ' +
          'were on their way then are sent again. The journal is emptied.'
      ),
      schema: { params, response: { 200: SnapshotAnswer } }
    },
    async ({ account, params }) => {
      const snapshot = await found(account, (params as { name: string }).name)
      const { seed } = snapshot.state
      if (seed !== ids.seed) {
        throw new AdminError(
          'CONFLICT',
          `the snapshot '${snapshot.name}' was taken with the seed '${seed}', and this ` +
            `server has '${ids.seed}': what comes would not be what came`,
          `start it with --seed '${seed}'`
        )
      }
      if (!(await accountLifecycle.restoreSnapshot(account, snapshot.name))) {
        throw new AdminError(
          'NOT_FOUND',
          `this account has no snapshot '${snapshot.name}' any more`,
          'GET /__admin/snapshots lists them'
        )
      }
      return showSnapshot(snapshot)
    }
  )

  app.delete(
    '/snapshots/:name',
    {
      config: adminCall('deleteSnapshot', 'Forget a snapshot of this account'),
      schema: { params, response: { 204: Type.Null({ description: 'It is gone.' }) } }
    },
    async ({ account, params }, reply) => {
      const { name } = await found(account, (params as { name: string }).name)
      await snapshots.deleteSnapshot(account.id, name)
      return reply.code(204).send()
    }
  )
}

function showSnapshot ({ name, taken, state, payments }: Snapshot): object {
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
