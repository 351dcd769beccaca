import type { FastifyRequest } from 'fastify'
import { amountStyleFor } from '../../src/domain/amount.ts'
import { isRefusal, type Refusal } from '../../src/domain/refusal.ts'
import { Type } from '../../src/lib/typebox.ts'
import type { StatusCheckAnswer } from '../../src/services/status-checks.ts'
import { PathIdentifier } from '../../src/wire/fields.ts'
import { apiRoute, errorIds } from '../http/api-route.ts'
import type { ApiReply } from '../http/reply.ts'
import { documentOperation, orderedStatuses, type KindScope } from './kind-scope.ts'

/** Adds the route of status checks. */
export function statusCheckRoute (scope: KindScope): void {
  const { api, kind, codec, payments, statusChecks } = scope
  apiRoute(api, {
    method: 'GET',
    url: `/${kind.path}/:${kind.idField}`,
    config: {
      operation: 'find',
      kind,
      permission: 'read',
      errors: orderedStatuses,
      documentation: documentOperation(kind, 'find#', 'Check the status of a #')
    },
    schema: {
      params: Type.Object({ [kind.idField]: PathIdentifier }),
      response: { 200: api.wire.answers.schemas.lookup(kind, codec.record) }
    },
    handler: async (request) => {
      const { wire, ids } = api
      const { account } = request.caller
      const id = request.params[kind.idField]
      const view = await payments.checkStatus(account, kind, id)
      if (view !== undefined && isRefusal(view)) {
        return wire.answers.refused(view, { operation: 'find', kind, id }, errorIds(request, ids))
      }
      const record = view && codec.write(view, amountStyleFor('records', account.settings.amounts))
      const ordered = statusChecks.takeNext(account.id)
      return ordered === undefined
        ? wire.answers.found(record)
        : answerAsOrdered(scope, request, ordered, record)
    }
  })
}

/** Answers a status check as PUT /__admin/status-checks has ordered. */
function answerAsOrdered (
  { api, kind }: KindScope,
  request: FastifyRequest,
  { found = true, status, fault, delayMs, record: changes }: StatusCheckAnswer,
  record: object | undefined
): ApiReply {
  const { answers } = api.wire
  const behaviour = {
    ...(fault !== undefined && { fault }),
    ...(delayMs !== undefined && { latencyMs: delayMs })
  }
  if (status === undefined) {
    const isFound = found && record !== undefined
    const changed = isFound ? withChanges(record, changes) : undefined
    return { ...answers.found(changed), behaviour, isOrdered: changes !== undefined }
  }
  const message = `answered with ${status} because PUT /__admin/status-checks ordered it`
  const refusal: Refusal = { code: 'SCRIPTED_ERROR', message, status }
  const ids = errorIds(request, api.ids)
  return { ...answers.refused(refusal, { operation: 'find', kind }, ids), behaviour }
}

/** A record with other values. A field that is null is left out. */
function withChanges (record: object, changes: Readonly<Record<string, unknown>> = {}): object {
  const fields = Object.entries({ ...record, ...changes })
  return Object.fromEntries(fields.filter(([name]) => changes[name] !== null))
}
