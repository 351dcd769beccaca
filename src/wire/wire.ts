import type { Static, TSchema } from '@sinclair/typebox'
import type { Kind, KindName } from '../domain/kinds.ts'
import type { Generation, Instruction, MetadataEntry, Move, Payment } from '../domain/payment.ts'
import type { Refusal } from '../domain/refusal.ts'
import { Refused } from '../domain/refusal.ts'
import { maxMetadata } from './fields.ts'

/** A generation of the API is a way of spelling. A codec spells one kind: how a request is read, how a record is written. */
export interface Codec {
  request: TSchema
  read: (body: unknown) => Instruction
  record: TSchema
  write: (payment: Payment, state: Move) => object
}

export interface Reply {
  status: number
  body: object
}

/** What became of an initiation. */
export type Initiation =
  | { outcome: 'ACCEPTED', payment: Payment, state: Move }
  | { outcome: 'DUPLICATE', created: number }
  | { outcome: 'REFUSED', refusal: Refusal }

/** Where a request was refused: the operation decides what else the body says. */
export interface Place {
  operation: 'initiate' | 'find' | 'toolkit' | 'none'
  kind?: Kind
  id?: string
}

export interface Wire {
  generation: Generation
  prefix: string
  codecs: Partial<Record<KindName, Codec>>
  /** The schemas of what is answered, by kind. */
  answers: {
    initiation: (kind: Kind) => TSchema
    lookup: (kind: Kind, record: TSchema) => TSchema
    refusal: TSchema
  }
  initiated: (kind: Kind, id: string, initiation: Initiation, errorId: () => string) => Reply
  found: (record: object | undefined) => Reply
  refused: (refusal: Refusal, place: Place, errorId: () => string) => Reply
}

/** A codec whose reader is typed by its schema. */
export function codec<T extends TSchema> (parts: {
  request: T
  read: (body: Static<T>) => Instruction
  record: TSchema
  write: (payment: Payment, state: Move) => object
}): Codec {
  return parts as Codec
}

/** Refuses metadata that the schema cannot: a name that is given twice. */
export function uniqueNames (entries: MetadataEntry[]): MetadataEntry[] | undefined {
  const names = new Set<string>()
  for (const { name } of entries) {
    if (names.has(name)) throw new Refused('DUPLICATE_METADATA', `metadata names '${name}' twice; each name may be given once, at most ${maxMetadata} in all`)
    names.add(name)
  }
  return entries.length === 0 ? undefined : entries
}

/** The metadata of a record: names and values, nothing when there are none. */
export function metadataObject (entries: MetadataEntry[] | undefined): Record<string, string> | undefined {
  return entries === undefined ? undefined : Object.fromEntries(entries.map(({ name, value }) => [name, value]))
}
