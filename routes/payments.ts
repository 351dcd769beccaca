import type { FastifyInstance } from 'fastify'
import { Type } from '@sinclair/typebox'
import { kinds } from '../src/domain/kinds.ts'
import type { Ids } from '../src/ids.ts'
import type { Payments } from '../src/payments.ts'
import { PathIdentifier } from '../src/wire/fields.ts'
import type { Wire } from '../src/wire/wire.ts'
import { errorIds, send } from './generation.ts'

/** Every kind a generation can spell, with every operation on it. */
export function paymentRoutes (app: FastifyInstance, wire: Wire, payments: Payments, ids: Ids): void {
  for (const kind of Object.values(kinds)) {
    const codec = wire.codecs[kind.name]
    if (codec === undefined) continue
    const path = `/${kind.path}`

    app.post(path, {
      config: { operation: 'initiate', kind, permission: 'initiate' },
      schema: { body: codec.request, response: { 200: wire.answers.initiation(kind) } }
    }, async (request, reply) => {
      const instruction = codec.read(request.body)
      const initiation = await payments.initiate(request.caller.account, wire.generation, kind, instruction)
      return send(reply, wire.initiated(kind, instruction.id, initiation, errorIds(request, ids)))
    })

    app.get(`${path}/:${kind.id}`, {
      config: { operation: 'find', kind, permission: 'read' },
      schema: { params: Type.Object({ [kind.id]: PathIdentifier }), response: { 200: wire.answers.lookup(kind, codec.record) } }
    }, async (request, reply) => {
      const found = await payments.find(request.caller.account, kind, (request.params as Record<string, string>)[kind.id])
      return send(reply, wire.found(found && codec.write(found.payment, found.state)))
    })
  }
}
