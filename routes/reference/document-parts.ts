import type { TSchema } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import { kinds, type Kind } from '../../src/domain/kinds.ts'
import type { OperationContext, Wire } from '../../src/wire/wire.ts'
import { toPlainSchema, type Schema } from '../../src/openapi/schema.ts'

/** Parts of the document that belong to no single route. */

const refusalStatuses = [400, 401, 403, 413, 500]

/**
 * Error answers of an operation of the API, in the words of its version. Ordered errors, and those
 * of the ledger, look like a 500.
 */
export function refusalResponses (
  { answers }: Wire,
  place: OperationContext,
  possible: readonly number[],
  ordered: readonly number[]
): Record<number, TSchema> {
  return Object.fromEntries([
    ...possible.map((status) => [status, answers.schemas.refusal(place, Math.min(status, 500))]),
    ...ordered.map((status) => [status, answers.schemas.refusal(place, 500)])
  ])
}

const header = (description: string) => Type.Optional(Type.String({ description }))

/** The headers of a signed initiation (RFC 9421). */
const signature = {
  'Content-Digest': header(
    'The SHA-256 or SHA-512 digest of the body. Signature headers are only for accounts that ' +
      'accept signed requests only.'
  ),
  Signature: header('The signature of the request.'),
  'Signature-Input': header('What the signature covers, and how it was made.'),
  'Signature-Date': header('When it was signed: a header of the service, which should be covered.'),
  'Accept-Signature': header('The signature algorithm expected of the answer.'),
  'Accept-Digest': header('The digest algorithm expected of the answer.')
}

/** Signature headers of an initiation. Some accounts must send them. */
export function initiationHeaders (signed: boolean): TSchema {
  const scenario = header(
    'The name of the scenario that this payment follows; a header of the mock, not of the API.'
  )
  return Type.Object({ 'X-Momock-Scenario': scenario, ...(signed && signature) })
}

/**
 * Callbacks: one for each kind and version, and one for statements. The body is the record that a
 * status check shows.
 */
export function callbackOperations (wires: readonly Wire[]): Schema {
  const payments = spelled(wires).map(({ wire, kind, name, record }) => {
    const isAuthorised = kind.name === 'deposit' && wire.can.redirect
    return webhook(
      wire,
      name,
      `A ${words(kind)} has reached a final state` +
        (isAuthorised ? ', or its customer must authorise it' : ''),
      `the account's callback URL for \`${kind.callback}\``,
      kind.path,
      record
    )
  })
  const statements = wires.flatMap((wire) =>
    wire.finances.statements === undefined
      ? []
      : [
          webhook(
            wire,
            'Statement',
            'A statement is ready, or failed',
            'the callback URL of its request',
            'finances',
            wire.finances.statements.record
          )
        ]
  )
  return Object.fromEntries([...payments, ...statements])
}

function webhook (
  { version }: Wire,
  name: string,
  summary: string,
  where: string,
  tag: string,
  record: TSchema
): [string, Schema] {
  const operationId = `${version}${name}Callback`
  return [
    operationId,
    {
      post: {
        operationId,
        summary,
        description:
          `Sent to ${where}, and again until it is answered with 2xx, for a quarter of an ` +
          'hour. Signed with `Content-Digest`, `Signature-Date`, `Signature-Input` and ' +
          '`Signature` (RFC 9421), unless the account says otherwise.',
        tags: [`${version} ${tag}`],
        security: [],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: toPlainSchema(record) } }
        },
        responses: {
          '2XX': { description: 'Received; it will not be sent again.' },
          default: { description: 'Not received; it will be sent again.' }
        }
      }
    }
  ]
}

function words ({ name }: Kind): string {
  return name.replace(/[A-Z]/, (outgoing) => ` ${outgoing.toLowerCase()}`)
}

/** The schemas that the document gives a name. */
export function components (wires: readonly Wire[]): Map<string, Schema> {
  const named = new Map<string, Schema>()
  const name = (title: string, schema: TSchema): unknown => named.set(title, toPlainSchema(schema))
  // If a version gives all refusals the same name, the first name is used.
  for (const { version, answers } of wires) {
    for (const status of refusalStatuses) {
      name(
        `${version.toUpperCase()}Refused${status}`,
        answers.schemas.refusal({ operation: 'none' }, status)
      )
      name(
        `${version.toUpperCase()}ToolkitRefused${status}`,
        answers.schemas.refusal({ operation: 'toolkit' }, status)
      )
    }
  }
  for (const {
    wire: { version, answers, codecs },
    kind,
    name: noun,
    record
  } of spelled(wires)) {
    const title = version.toUpperCase() + noun
    name(title, record)
    name(`${title}Request`, codecs[kind.name]?.request ?? record)
    name(`${title}Initiation`, answers.schemas.initiation(kind))
    name(`${title}Element`, answers.schemas.initiation(kind, 'many'))
    name(`${title}Lookup`, answers.schemas.lookup(kind, record))
    name(`${title}Action`, answers.schemas.action(kind))
    for (const status of refusalStatuses) {
      name(
        `${title}Refused${status}`,
        answers.schemas.refusal({ operation: 'initiate', kind }, status)
      )
    }
  }
  return named
}

/** Every kind that each version can spell. */
function spelled (
  wires: readonly Wire[]
): Array<{ wire: Wire; kind: Kind; name: string; record: TSchema }> {
  return wires.flatMap((wire) =>
    Object.values(kinds).flatMap((kind) => {
      const codec = wire.codecs[kind.name]
      return codec === undefined
        ? []
        : [
            {
              wire,
              kind,
              name: kind.name[0].toUpperCase() + kind.name.slice(1),
              record: codec.record
            }
          ]
    })
  )
}
