import { kinds, type KindName } from '../domain/kinds.ts'

/** What the body of a callback says of its payment: listeners are chosen by it. */
export interface CallbackContent {
  kind: KindName | undefined
  id: string | undefined
  status: string | undefined
  /** Values as texts, by name. */
  metadata: ReadonlyMap<string, string>
}

/** Names of identifiers. A refund can also have that of its deposit, so deposits come last. */
const idFields = Object.values(kinds)
  .map(({ name, idField }) => ({ name, idField }))
  .sort((one, other) => Number(one.name === 'deposit') - Number(other.name === 'deposit'))

/** Reads a body. A body that is no record of a payment has no content. */
export function readContent (body: string): CallbackContent {
  const record = parseObject(body)
  const kind = idFields.find(({ idField }) => typeof record[idField] === 'string')
  return {
    kind: kind?.name,
    id: kind === undefined ? undefined : String(record[kind.idField]),
    status: typeof record.status === 'string' ? record.status : undefined,
    metadata: new Map(readMetadata(record.metadata))
  }
}

/** Reads metadata: an object, or a list of objects as requests have it. */
function readMetadata (metadata: unknown): Array<[name: string, value: string]> {
  const parts = [metadata].flat().filter((part) => typeof part === 'object' && part !== null)
  return parts.flatMap((part) =>
    Object.entries(part as object).map(([name, value]): [string, string] => [name, String(value)])
  )
}

function parseObject (body: string): Record<string, unknown> {
  try {
    const record: unknown = JSON.parse(body)
    return typeof record === 'object' && record !== null ? { ...record } : {}
  } catch {
    return {}
  }
}
