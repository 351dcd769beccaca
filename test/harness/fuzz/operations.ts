import type { Random } from '../../support/random.ts'
import { bodyOf, kindNames, kinds, pathOf } from '../../support/bodies.ts'
import { wild, ValueMaker, type Schema } from './values.ts'

/** Requests to every operation of the OpenAPI document, good and bad. */

export interface Document {
  paths: Record<string, Record<string, OperationObject>>
}

interface OperationObject {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema?: Schema
}

/** A request as it is sent. */
export interface Shot {
  operation: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

interface Operation {
  id: string
  method: string
  template: string
  parameters: Parameter[]
  body?: Schema
}

/** What earlier answers have given out: identifiers, codes and tokens of pages. */
export type Pool = Map<string, string[]>

export function operationsOf ({ paths }: Document): Operation[] {
  return Object.entries(paths).flatMap(([template, methods]) => {
    return Object.entries(methods).map(([method, { operationId, parameters, requestBody }]) => {
      const content = Object.values(requestBody?.content ?? {})
      return {
        id: operationId ?? template,
        method: method.toUpperCase(),
        template,
        parameters: parameters ?? [],
        ...(content.length > 0 && { body: content[0].schema })
      }
    })
  })
}

/** Admin calls that make answers of the API fail on purpose act on an account of their own. */
const apart = /^\/__admin\/(scenarios|sink|accounts|reset|snapshots)/
/** Names a scenario that does not end in an error of its own making. */
const scenarioNames = ['happy-path', 'slow-approval', 'phone', 'no-such-scenario', '', '\u00ff']
const oddTypes = ['text/plain', 'application/xml', 'application/json; charset=x', '', 'a', '*/*']
const oddTokens = ['', 'Bearer', 'Bearer nobody', 'Basic eA==', 'Bearer test-token-readonly']
const oddParts = ['%00', '%20', '%2F', '..', '%ff', 'x'.repeat(2000), '-1', '%F0%9F%98%80', '*']
const oddQueries = ['', ' ', '%', 'x', '-1', '99999999999', '\u0000']
const oddBodies = ['', '{', 'null', '[1,]', '"', '{"a":1}}', '\ufeff{}']

export class ShotMaker {
  readonly #random: Random
  readonly #values: ValueMaker
  readonly #pool: Pool

  constructor (document: Document, random: Random, pool: Pool) {
    this.#random = random
    this.#pool = pool
    this.#values = new ValueMaker(random, (ref) => follow(document, ref))
  }

  /** A request to an operation; well-formed, or broken somewhere. */
  make (operation: Operation, good: boolean): Shot {
    const { id, method, template, parameters } = operation
    const random = this.#random
    const headers: Record<string, string> = {
      authorization: `Bearer ${apart.test(template) ? 'sandbox-fuzz-apart' : 'sandbox-fuzz'}`
    }
    const path = this.#path(template, parameters, good || random.chance(0.7))
    const query = this.#query(parameters, good || random.chance(0.6))
    const body = this.#body(operation, good)
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (random.chance(0.1) && template.startsWith('/v2')) {
      headers['x-momock-scenario'] = random.pick(scenarioNames)
    }
    if (random.chance(0.2)) headers.accept = random.pick(['text/html', 'application/json', '*/*'])
    if (!good) this.#spoil(headers)
    const shot = { operation: id, method, path: path + query, headers }
    return body === undefined ? shot : { ...shot, body }
  }

  #spoil (headers: Record<string, string>): void {
    const random = this.#random
    if (random.chance(0.1)) headers['content-type'] = random.pick(oddTypes)
    if (random.chance(0.1)) headers.authorization = random.pick(oddTokens)
    if (random.chance(0.05)) headers['content-digest'] = random.pick(['sha-512=:AA==:', ':', '=='])
    if (random.chance(0.05)) {
      headers['signature-input'] = random.pick(['sig-pp=("@method");created=1', 'sig-pp=(', '"'])
      headers.signature = random.pick(['sig-pp=:AA==:', 'x', ':'])
    }
  }

  #path (template: string, parameters: Parameter[], good: boolean): string {
    return template.replace(/\{(\w+)\}/g, (_, name: string) => {
      if (!good) return this.#random.pick(oddParts)
      const known = this.#pool.get(name) ?? []
      if (known.length > 0 && this.#random.chance(0.7)) return this.#random.pick(known)
      const schema = parameters.find((one) => one.in === 'path' && one.name === name)?.schema ?? {}
      return encodeURIComponent(String(this.#values.fitting({ type: 'string', ...schema }, name)))
    })
  }

  #query (parameters: Parameter[], good: boolean): string {
    const random = this.#random
    const used = parameters.filter((one) => {
      return one.in === 'query' && (one.required === true || random.chance(0.4))
    })
    const pairs = used.map(({ name, schema = {} }) => {
      const fitting = (): unknown => this.#values.fitting({ type: 'string', ...schema }, name)
      const value = good ? fitting() : random.pick(oddQueries)
      return `${name}=${encodeURIComponent(String(value))}`
    })
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`
  }

  #body (operation: Operation, good: boolean): string | undefined {
    const random = this.#random
    if (operation.body === undefined) {
      return !good && operation.method !== 'GET' && random.chance(0.3) ? '{"a":1}' : undefined
    }
    const value = this.#known(operation) ?? this.#values.fitting(operation.body)
    if (good) return JSON.stringify(value)
    if (random.chance(0.1)) return random.pick(oddBodies)
    if (random.chance(0.05)) return JSON.stringify(wild(random)) ?? ''
    return JSON.stringify(this.#values.broken(value))
  }

  /** Initiations that are accepted, so that there is something to break and to look at. */
  #known ({ template }: Operation): unknown {
    const random = this.#random
    for (const kind of kindNames) {
      for (const version of kinds[kind].versions) {
        if (pathOf(kind, version) !== template) continue
        const depositId = random.pick(this.#pool.get('depositId') ?? [random.uuid()])
        const payoutIds = [random.uuid(), random.uuid()] as const
        return bodyOf(kind, version, { id: random.uuid(), depositId, payoutIds })
      }
    }
    return undefined
  }
}

function follow (document: object, ref: string): Schema {
  const names = ref.replace(/^#\//, '').split('/')
  return names.reduce<object>((value, name) => {
    const inner: unknown = Object.entries(value).find(([key]) => key === name)?.[1]
    return typeof inner === 'object' && inner !== null ? inner : {}
  }, document)
}
