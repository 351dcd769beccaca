import { parse } from 'yaml'
import { isKindName, kinds } from '../../src/domain/kinds.ts'
import { readPath } from '../../src/lib/field-path.ts'
import type { AdminAnswer, AdminCall } from './admin-call.ts'
import { createFault } from './faults.ts'
import { readMethod, replayRequest } from './replay.ts'

/** Fields of a form, as texts. */
export type Fields = Record<string, string>

/** Identifier in commands that somebody copies. */
export const exampleId = '8a2d0f4c-5b0e-4d57-9c1e-3a6f7b8c9d01'

/** Values that an action takes from elsewhere than its form. */
export interface ActionContext {
  /** Creates the identifier of a new payment. */
  newId: () => string
  /** Beginning of the URLs of this server. */
  base: string
  /** Makes an admin call as the account. */
  ask: (call: AdminCall) => Promise<AdminAnswer>
}

/** An action of the dashboard: one admin call, or one request to the payments API. */
export interface Action {
  /** Sentence after the action succeeded. */
  done: string
  /** The sentence on a frozen clock, if it is another one. */
  frozen?: string
  call: (fields: Fields, context: ActionContext) => AdminCall | Promise<AdminCall>
  /** True if the journal has the call: lists of calls leave it out. */
  readsJournal?: true
  /** True if its call has a URL that can have a secret: the page shows it without. */
  hidesUrls?: true
  /** Path and query of the page after it succeeded; without it, the page of the form. */
  next?: (fields: Fields, call: AdminCall) => string
}

const paymentPath = ({ kind = '', id = '' }: Fields): string =>
  `/__admin/payments/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`

const snapshotPath = ({ name = '' }: Fields): string =>
  `/__admin/snapshots/${encodeURIComponent(name)}`

const sinkPath = (name: string): string => `/__admin/sink/${encodeURIComponent(name)}`

const walletPath = ({ country = '', currency = '' }: Fields): string =>
  `/__admin/wallets/${encodeURIComponent(country)}/${encodeURIComponent(currency)}`

/** Reads YAML or JSON that a visitor has typed. */
function readYaml (text: string): object {
  const value: unknown = parse(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new Error('the text must be an object in YAML or JSON')
}

/** Returns what is wrong with a callback: words that are a status, or the name of a fault. */
function writeCallbackFault (wrong: string | undefined): object {
  const words = wrong === undefined ? [] : wrong.split(' ')
  return Object.fromEntries(
    words.map((word) =>
      /^[A-Z]/.test(word) ? ['status', word] : [word, word === 'duplicates' ? 1 : true]
    )
  )
}

const waitsForClock = 'The callback waits for the frozen clock: advance it, or let it run.'

/** Actions by the name in the address of their form. */
export const actions = {
  'move-payment': {
    done: 'The payment was moved.',
    call: (fields) => ({
      method: 'POST',
      path: `${paymentPath(fields)}/move`,
      body: {
        to: fields.to,
        ...(fields.to === 'FAILED' &&
          fields.failureCode !== undefined && { failureCode: fields.failureCode })
      }
    })
  },
  'send-callback': {
    done: 'The callback is sent.',
    frozen: waitsForClock,
    call: ({ wrong, ...fields }) => ({
      method: 'POST',
      path: `${paymentPath(fields)}/callbacks`,
      body: writeCallbackFault(wrong)
    })
  },
  'cancel-payment': {
    done: 'The payment was cancelled.',
    call: ({ path = '', id = '' }) => ({
      method: 'POST',
      path: `/v2/${encodeURIComponent(path)}/fail-enqueued/${encodeURIComponent(id)}`
    })
  },
  'refund-deposit': {
    done: 'The refund was accepted.',
    call: ({ id, amount, currency }, { newId }) => ({
      method: 'POST',
      path: '/v2/refunds',
      body: {
        refundId: newId(),
        depositId: id,
        ...(amount !== undefined && { amount, currency })
      }
    })
  },
  'resend-callback': {
    done: 'The callback is sent again.',
    frozen: waitsForClock,
    call: ({ callback = '' }) => ({
      method: 'POST',
      path: `/__admin/callbacks/${encodeURIComponent(callback)}/resend`
    })
  },
  'set-callback-url': {
    done: 'The callback URLs were changed.',
    hidesUrls: true,
    call: ({ url, sink = '' }, { base }) => ({
      method: 'PATCH',
      path: '/__admin/account',
      body: { callbacks: url ?? `${base}${sinkPath(sink)}` }
    })
  },
  'order-sink': {
    done: 'The sink gives these answers.',
    call: ({ name = '', answers = '' }) => ({
      method: 'PUT',
      path: sinkPath(name),
      body: answers.split(/[ ,]+/).map(Number)
    })
  },
  'empty-sink': {
    done: 'The sink is empty.',
    call: ({ name = '' }) => ({ method: 'DELETE', path: sinkPath(name) })
  },
  'set-clock': {
    done: 'The clock was changed.',
    call: ({ mode, speed }) => ({
      method: 'PUT',
      path: '/__admin/clock',
      body: { mode, ...(speed !== undefined && { speed: Number(speed) }) }
    })
  },
  'advance-clock': {
    done: 'The clock was advanced.',
    call: ({ by, until }) => ({
      method: 'POST',
      path: '/__admin/clock/advance',
      body: until === undefined ? { by } : { until }
    })
  },
  'reset-account': {
    done: 'The account was reset.',
    call: () => ({ method: 'POST', path: '/__admin/reset' })
  },
  'set-provider': {
    done: 'The provider was changed.',
    call: ({ provider = '', operations = '', status, minutes }) => ({
      method: 'PUT',
      path: `/__admin/providers/${encodeURIComponent(provider)}`,
      body: {
        ...Object.fromEntries(operations.split(' ').map((operation) => [operation, status])),
        ...(minutes !== undefined && { for: `${minutes}m` })
      }
    })
  },
  'set-wallet': {
    done: 'The money of the wallet was set.',
    call: (fields) => ({
      method: 'PUT',
      path: walletPath(fields),
      body: { available: fields.amount }
    })
  },
  'top-up-wallet': {
    done: 'The wallet was topped up.',
    call: (fields) => ({
      method: 'POST',
      path: `${walletPath(fields)}/top-up`,
      body: { amount: fields.amount }
    })
  },
  'add-fault': {
    done: 'The next payments have this fault.',
    call: ({ fault = '', times = '1' }) => ({
      method: 'POST',
      path: '/__admin/scenarios',
      body: createFault(fault, Number(times))
    })
  },
  'add-scenario': {
    done: 'The scenario was added.',
    call: ({ name, text = '' }) => ({
      method: 'POST',
      path: '/__admin/scenarios',
      body: { ...readYaml(text), ...(name !== undefined && { name }) }
    })
  },
  'delete-scenario': {
    done: 'The scenario was deleted.',
    call: ({ name = '' }) => ({
      method: 'DELETE',
      path: `/__admin/scenarios/${encodeURIComponent(name)}`
    })
  },
  'take-snapshot': {
    done: 'The snapshot was taken.',
    call: ({ name }) => ({ method: 'POST', path: '/__admin/snapshots', body: { name } })
  },
  'restore-snapshot': {
    done: 'The snapshot was restored.',
    call: (fields) => ({ method: 'POST', path: `${snapshotPath(fields)}/restore` })
  },
  'delete-snapshot': {
    done: 'The snapshot was deleted.',
    call: (fields) => ({ method: 'DELETE', path: snapshotPath(fields) })
  },
  'replay-request': {
    done: 'The request was sent again.',
    call: replayRequest,
    readsJournal: true
  },
  'send-request': {
    done: 'The request was sent.',
    call: ({ method = 'POST', path = '', body }) => ({
      method: readMethod(method),
      path,
      ...(body !== undefined && { body: readYaml(body) })
    })
  },
  'send-payment': {
    done: 'The request was accepted.',
    call: ({ path = '', text = '', scenario }) => ({
      method: 'POST',
      path,
      body: readYaml(text),
      ...(scenario !== undefined && { headers: { 'X-Momock-Scenario': scenario } })
    }),
    next: ({ kind = '', version = 'v2' }, { body }) => {
      const id = isKindName(kind) ? readPath(body, kinds[kind].idField) : undefined
      const query = new URLSearchParams({
        request: `${version} ${kind}`,
        sent: `${kind}/${String(id)}`
      })
      return `/try?${query.toString()}`
    }
  },
  'clear-requests': {
    done: 'The journal was cleared.',
    call: () => ({ method: 'DELETE', path: '/__admin/requests' })
  }
} satisfies Record<string, Action>

export type ActionName = keyof typeof actions

/** Returns the action of a name, or undefined. */
export function findAction (name: string): Action | undefined {
  return Object.hasOwn(actions, name) ? actions[name as ActionName] : undefined
}
