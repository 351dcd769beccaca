import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../src/accounts/registry.ts'
import type { Account, Permission } from '../../src/domain/account.ts'
import type { Kind } from '../../src/domain/kinds.ts'
import type { Refused } from '../../src/domain/refusal.ts'
import type { Generation } from '../../src/domain/api-version.ts'
import type { Fault } from '../../src/domain/response-behaviour.ts'
import type { Tag } from '../../src/openapi/tags.ts'
import type { Explanation } from '../../src/security/explanation.ts'
import type { OperationContext } from '../../src/wire/wire.ts'

/** What the routes keep about themselves and about each request. */

/**
 * What the reference says of a route. What it takes, answers and asks for is read from its schema
 * and the rest of its configuration.
 */
export interface Documentation {
  /**
   * Its name in lower camel case; unique, once the generation stands before it: initiateDeposit
   * becomes v2InitiateDeposit.
   */
  id: string
  /** What it does, in a line without a full stop. */
  summary: string
  tag: Tag
  /** What else there is to know, in sentences. */
  description?: string
  /** What the body should be, where the route itself takes more in order to answer better. */
  body?: object
}

export interface RouteConfig {
  /**
   * Nothing else can be configured without it; 'hidden' is for pages that people look at, not
   * programs.
   */
  documentation: Documentation | 'hidden'
  operation?: OperationContext['operation']
  kind?: Kind
  /** What the token must allow; routes without it are open to anybody. */
  permission?: Permission
  /**
   * Open to anybody, but who has a token that is known is that account; everybody else is the
   * default one.
   */
  isOpen?: boolean
  /**
   * A link that carries a key of its own says by it which account it is for; nothing, if it does
   * not fit.
   */
  link?: (request: FastifyRequest) => Account | undefined
  /** Accounts that take signed requests only want this one signed. */
  signed?: boolean
  /** Counts an answer; every route has it. */
  count?: (status: number) => void
  /** Counts an answer and writes it down, where those of a route are. */
  record?: (request: FastifyRequest, status: number, answer: string, fault?: Fault) => void
}

/** The name of an operation in the reference. */
export function operationName (generation: Generation, id: Documentation['id']): string {
  return generation + id[0].toUpperCase() + id.slice(1)
}

declare module 'fastify' {
  interface FastifyContextConfig extends RouteConfig {}

  interface FastifyRequest {
    /** Who is calling; set once the token is known. */
    caller: Caller
    /**
     * Why the request will be refused once its body is read: the answer still names the payment.
     */
    refusal: Refused | undefined
    /**
     * Looks at the signature, before the body is parsed; only where the account wants one, and only
     * once.
     */
    inspect: ((body: Buffer) => void) | undefined
    /** The headers that sign an answer; only where the request was signed well. */
    signResponse: ((status: number, text: string) => Record<string, string>) | undefined
    /** What was made of its signature, if somebody looked at it. */
    explanation: Explanation | undefined
    /** When it arrived, by the machine. */
    received: number | undefined
    /** Its body as it came, or the beginning of a long one. */
    text: string | undefined
  }
}
