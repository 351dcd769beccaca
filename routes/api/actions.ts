import type { Account } from '../../src/domain/account.ts'
import type { Kind } from '../../src/domain/kinds.ts'
import type { Refusal } from '../../src/domain/refusal.ts'
import { Type } from '../../src/lib/typebox.ts'
import { Identifier, PathIdentifier } from '../../src/wire/fields.ts'
import { apiRoute, type ApiScope } from '../http/api-route.ts'
import type { Documentation } from '../http/context.ts'
import { documentOperation, type KindScope } from './kind-scope.ts'

/** Actions on one payment: sending its callback again, cancelling it. */

/** Adds the route that sends the callback of a payment again. */
export function resendRoute ({ api, kind, payments }: KindScope): void {
  const documentation = documentOperation(
    kind,
    'resend#Callback',
    'Send the callback of a # again',
    'Only once it is in a final state.'
  )
  const resend: Action = (account, id) => payments.actions.resend(account, kind, id)
  const route = { api, kind, name: 'resend-callback', documentation, act: resend }
  if (api.wire.resendBy === 'path') actionByPathRoute(route)
  else actionByBodyRoute(route)
}

/** Adds the route that cancels an enqueued payment. */
export function cancelRoute ({ api, kind, payments }: KindScope): void {
  const documentation = documentOperation(
    kind,
    'cancelEnqueued#',
    'Cancel a # that is enqueued',
    'It becomes FAILED with MANUALLY_CANCELLED.'
  )
  const cancel: Action = (account, id) => payments.actions.cancel(account, kind, id)
  actionByPathRoute({ api, kind, name: 'fail-enqueued', documentation, act: cancel })
}

type Action = (account: Account, id: string) => Promise<Refusal | undefined>

/** Route of an action on one payment. */
interface ActionRoute {
  api: ApiScope
  kind: Kind
  name: string
  documentation: Documentation
  act: Action
}

/** Adds an action with the identifier in its path. Its body, if there is one, is ignored. */
function actionByPathRoute ({ api, kind, name, documentation, act }: ActionRoute): void {
  const { answers } = api.wire
  apiRoute(api, {
    method: 'POST',
    url: `/${kind.path}/${name}/:${kind.idField}`,
    config: { operation: 'find', kind, permission: 'act', documentation },
    schema: {
      params: Type.Object({ [kind.idField]: PathIdentifier }),
      response: { 200: answers.schemas.action(kind) }
    },
    handler: async ({ caller, params }) => {
      const id = params[kind.idField]
      return answers.acted(kind, id, await act(caller.account, id))
    }
  })
}

/** Adds an action with the identifier in its body. */
function actionByBodyRoute ({ api, kind, name, documentation, act }: ActionRoute): void {
  const { answers } = api.wire
  apiRoute(api, {
    method: 'POST',
    url: `/${kind.path}/${name}`,
    config: { operation: 'find', kind, permission: 'act', documentation },
    schema: {
      body: Type.Object({ [kind.idField]: Identifier }),
      response: { 200: answers.schemas.action(kind) }
    },
    handler: async ({ caller, body }) => {
      const id = body[kind.idField]
      return answers.acted(kind, id, await act(caller.account, id))
    }
  })
}
