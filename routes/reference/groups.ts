import type { Schema } from '../../src/openapi/schema.ts'
import type { Operation } from './command.ts'

/** Page of the reference: operations that belong together. */
export interface ReferenceGroup {
  /** Last part of the address. */
  name: string
  title: string
  description: string
  operations: Operation[]
  callbacks: Operation[]
}

/** Groups below one heading of the sidebar. */
export interface ReferencePart {
  title: string
  groups: ReferenceGroup[]
}

/** Topics of the admin calls, with the first word of their paths. The last one has the rest. */
const topics: ReadonlyArray<[name: string, title: string, words: readonly string[]]> = [
  ['payments', 'Payments', ['payments', 'wait', 'events']],
  ['scenarios', 'Scenarios', ['scenarios', 'status-checks', 'providers', 'test-numbers']],
  ['clock', 'Clock', ['clock']],
  ['callbacks', 'Callbacks and signatures', ['callbacks', 'sink', 'signatures', 'keys', 'ca.pem']],
  ['requests', 'Requests and verification', ['requests', 'verify', 'coverage', 'lint', 'exam']],
  ['accounts', 'Accounts and wallets', ['accounts', 'account', 'overview', 'wallets']],
  ['state', 'State', ['reset', 'snapshots', 'invariants', 'set-aside', 'bundle']],
  ['phone', 'Phone', ['phone']],
  ['server', 'Server', []]
]

/** Lists the pages of the reference in the order of the sidebar. */
export function listParts (document: Schema): ReferencePart[] {
  const parts: Array<{ name: string; tags: string[] }> = document['x-tagGroups']
  return parts.map(({ name, tags }) => ({
    title: name,
    groups: tags.flatMap((tag) =>
      tag === 'admin' ? adminGroups(document) : tagGroup(document, tag)
    )
  }))
}

function tagGroup (document: Schema, tag: string): ReferenceGroup {
  const { description } = document.tags.find(({ name }: Schema) => name === tag)
  return {
    name: tag.replaceAll(' ', '-'),
    title: tag,
    description,
    operations: operationsOf(document.paths, tag),
    callbacks: operationsOf(document.webhooks, tag)
  }
}

function adminGroups (document: Schema): ReferenceGroup[] {
  const { operations, description } = tagGroup(document, 'admin')
  const topicOf = ({ path }: Operation): string => {
    const word = path.split('/')[2]
    return topics.find(([, , words]) => words.includes(word))?.[0] ?? 'server'
  }
  return topics.map(([name, title]) => ({
    name: `admin-${name}`,
    title: `Admin: ${title}`,
    description,
    operations: operations.filter((operation) => topicOf(operation) === name),
    callbacks: []
  }))
}

function operationsOf (paths: Schema, tag: string): Operation[] {
  const all = Object.entries<Schema>(paths).flatMap(([path, item]) =>
    Object.entries<Schema>(item).map(([method, operation]): Operation => ({
      ...operation,
      method: method.toUpperCase(),
      path
    }))
  )
  return all.filter(({ tags }) => tags.includes(tag))
}
