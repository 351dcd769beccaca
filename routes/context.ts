import type { Caller } from '../src/accounts.ts'
import type { Permission } from '../src/domain/account.ts'
import type { Kind } from '../src/domain/kinds.ts'
import type { Refused } from '../src/domain/refusal.ts'
import type { Place } from '../src/wire/wire.ts'

/** What the routes of the API keep about themselves and about each request. */

export interface RouteConfig {
  operation: Place['operation']
  kind?: Kind
  /** What the token must allow; routes without it are open to anybody. */
  permission?: Permission
  /** Open to anybody, but who has a token that is known is that account; everybody else is the default one. */
  open?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<RouteConfig> {}

  interface FastifyRequest {
    /** Who is calling; set once the token is known. */
    caller: Caller
    /** Why the request will be refused once its body is read: the answer still names the payment. */
    refusal: Refused | undefined
  }
}
