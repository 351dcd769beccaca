import type { Kind } from '../../src/domain/kinds.ts'
import type { Tag } from '../../src/openapi/tags.ts'
import type { Payments } from '../../src/services/payments.ts'
import type { StatusChecks } from '../../src/services/status-checks.ts'
import type { Codec } from '../../src/wire/wire.ts'
import type { ApiScope } from '../http/api-route.ts'
import type { Documentation } from '../http/context.ts'

/** A kind of payment in one version of the API, and the parts of its routes. */
export interface KindScope {
  api: ApiScope
  kind: Kind
  codec: Codec
  payments: Payments
  statusChecks: StatusChecks
}

/** Statuses besides 500 that a scenario or a tester can order. */
export const orderedStatuses = [429, 503]

/** Documentation of an operation; the name of the kind replaces each #. */
export function documentOperation (
  kind: Kind,
  id: string,
  summary: string,
  description?: string
): Documentation {
  const noun = kind.name.replace(/[A-Z]/, (letter) => ` ${letter.toLowerCase()}`)
  return {
    id: id.replace('#', kind.name[0].toUpperCase() + kind.name.slice(1)),
    summary: summary.replace('#', noun),
    tag: kind.path as Tag,
    description
  }
}
