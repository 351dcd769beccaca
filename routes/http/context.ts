import type { FastifyRequest } from 'fastify'
import type { Account } from '../../src/domain/account.ts'
import type { Permission } from '../../src/domain/account-settings.ts'
import type { Version } from '../../src/domain/api-version.ts'
import type { Kind } from '../../src/domain/kinds.ts'
import type { Tag } from '../../src/openapi/tags.ts'
import type { OperationContext } from '../../src/wire/wire.ts'

/** Configuration of our routes. */

/**
 * Description of a route in the reference. Parameters, answers and tokens come from its schema and
 * the rest of its configuration.
 */
export interface Documentation {
  /**
   * Name in lower camel case, unique within a version: initiateDeposit becomes v2InitiateDeposit.
   */
  id: string
  /** One line without a full stop. */
  summary: string
  tag: Tag
  /** More sentences. */
  description?: string
  /** Schema of the body, where the route itself takes more in order to answer better. */
  body?: object
}

export interface RouteConfig {
  /** 'hidden' is for pages that people read, not programs. */
  documentation: Documentation | 'hidden'
  /** A page: HTML, unless the client asks for JSON. */
  isPage?: boolean
  /** Statuses of errors besides those that follow from the schema, for the reference. */
  errors?: readonly number[]
  operation?: OperationContext['operation']
  kind?: Kind
  /** Permission that the token must have; routes without one are open to everybody. */
  permission?: Permission
  /** True if the answer does not depend on accounts. */
  ignoresAccounts?: boolean
  /** Open to everybody; a request without a known token uses the default account. */
  isOpen?: boolean
  /** True for a call that an account which is set aside can use, besides the reads. */
  repairs?: boolean
  /** Account of a link that carries its own key; undefined if the key does not fit. */
  link?: (request: FastifyRequest) => Account | undefined
  /** Accounts with signedRequestsOnly must sign requests to this route. */
  signed?: boolean
  /** Counts an answer that is not sent by Fastify; set for every route. */
  count?: (status: number) => void
}

/** Name of an operation in the reference. */
export function operationName (version: Version, id: Documentation['id']): string {
  return version + id[0].toUpperCase() + id.slice(1)
}

declare module 'fastify' {
  interface FastifyContextConfig extends RouteConfig {}

  interface FastifyInstance {
    /** Switch of the fast path; see fast-path.ts. */
    fastPath: boolean
  }
}
