import { parse } from 'yaml'
import { AdvanceAnswer } from '../../src/admin-api/clock.ts'
import { ExampleRequest } from '../../src/admin-api/examples.ts'
import { isKindName, kinds } from '../../src/domain/kinds.ts'
import { readPath } from '../../src/lib/field-path.ts'
import { createValidator } from '../../src/lib/validator.ts'
import { findProblem, type AdminAnswer, type AdminCall } from './admin-call.ts'
import { createFailure, createFault } from './faults.ts'
import { readMethod, replayRequest } from './replay.ts'

/** Fields of a form, as texts. */
export type Fields = Record<string, string>

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
  /** Sentence after the action succeeded, which can follow from the answer. */
  done: string | ((fields: Fields, answer: unknown) => string)
  /** The sentence on a frozen clock, if it is another one. */
  frozen?: string
  call: (fields: Fields, context: ActionContext) => AdminCall | Promise<AdminCall>
  /** True if it destroys what a snapshot can bring back. */
  destroys?: true
  /** Page that shows a problem at its field. */
  page?: string
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

const exampleValidator = createValidator(ExampleRequest)
const advanceValidator = createValidator(AdvanceAnswer)

/** Reads a duration, or a date with or without a time: `2h`, `2026-12-31`, `2026-12-31 09:00`. */
function readStep (text = ''): object {
  const [, day, time = '00:00', seconds = ':00'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?Z?)?$/.exec(text) ?? []
  return day === undefined ? { by: text } : { to: `${day}T${time}${seconds}Z` }
}

/** Says what an advance has moved: `+1m: 2 changes of status, 1 callback attempt`. */
function describeAdvance ({ by, until }: Fields, answer: unknown): string {
  const step =
    until === 'idle' ? 'Until idle' : until === 'next' ? 'To the next event' : `Advanced, ${by}`
  if (!advanceValidator.check(answer)) return `${step}.`
  const { transitions, callbacks, expirations } = answer
  const parts = [
    [transitions, 'change of status', 'changes of status'],
    [callbacks, 'callback attempt', 'callback attempts'],
    [expirations, 'link expired', 'links expired']
  ] as const
  const happened = parts.filter(([count]) => count > 0)
  const text = happened.map(([count, one, more]) => `${count} ${count === 1 ? one : more}`)
  return `${step}: ${text.length === 0 ? 'nothing was due' : text.join(', ')}.`
}

/** Reads the identifier of a payment in a body; undefined if it has none, or is not JSON. */
export function readId (kind: string, text: string): string | undefined {
  if (!isKindName(kind)) return undefined
  try {
    const id = readPath(JSON.parse(text), kinds[kind].idField)
    return typeof id === 'string' && id !== '' ? id : undefined
  } catch {
    return undefined
  }
}

/** Name of the scenario of a request. A failure code needs one, which is for this request only. */
async function prepareScenario (
  kind: string,
  scenario: string,
  ask: ActionContext['ask']
): Promise<string> {
  const [, code] = /^fail (\w+)$/.exec(scenario) ?? []
  if (code === undefined) return scenario
  const name = `try-${code.toLowerCase().replaceAll('_', '-')}`
  // No phone number is 0: the request names the scenario.
  const body = { name, when: { kind, phoneNumber: '0' }, fail: code, times: 1 }
  const call = { method: 'POST', path: '/__admin/scenarios', body } as const
  const problem = findProblem(call, await ask(call))
  if (problem !== undefined) throw new Error(problem)
  return name
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
    done: ({ mode, speed = '1' }) =>
      mode === 'frozen' ? 'The clock is frozen.' : `The clock runs, at ${speed}×.`,
    call: ({ mode, speed }) => ({
      method: 'PUT',
      path: '/__admin/clock',
      body: { mode, ...(speed !== undefined && { speed: Number(speed) }) }
    })
  },
  'advance-clock': {
    done: describeAdvance,
    call: ({ by, until }) => ({
      method: 'POST',
      path: '/__admin/clock/advance',
      body: until === undefined ? readStep(by) : { until }
    })
  },
  'reset-account': {
    done: 'The account was reset.',
    destroys: true,
    call: () => ({ method: 'POST', path: '/__admin/reset' })
  },
  'make-account': {
    done: ({ name = '' }) => `The account ${name} was made.`,
    call: ({ name }) => ({ method: 'POST', path: '/__admin/accounts', body: { name } })
  },
  'delete-account': {
    done: ({ name = '' }) => `The account ${name} was deleted.`,
    call: ({ name = '' }) => ({
      method: 'DELETE',
      path: `/__admin/accounts/${encodeURIComponent(name)}`
    })
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
    call: ({ fault = '', times = '1', kind }) => ({
      method: 'POST',
      path: '/__admin/scenarios',
      body: createFault(fault, Number(times), kind)
    })
  },
  'add-failure': {
    done: ({ failure = '' }) => `The next payments fail: ${failure}.`,
    call: ({ failure = '', times = '1' }) => ({
      method: 'POST',
      path: '/__admin/scenarios',
      body: createFailure(failure, Number(times))
    })
  },
  'add-scenario': {
    done: 'The scenario was added.',
    page: '/scenarios',
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
    call: replayRequest
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
    page: '/try',
    // The body goes as it was typed, so that wrong JSON can be tried, too.
    call: async ({ path = '', kind = '', text = '', scenario }, { ask }) => ({
      method: 'POST',
      path,
      body: text,
      headers: {
        'content-type': 'application/json',
        ...(scenario !== undefined && {
          'X-Momock-Scenario': await prepareScenario(kind, scenario, ask)
        })
      }
    }),
    next: ({ kind = '', version = 'v2', text = '' }) => {
      const query = new URLSearchParams({
        request: `${version} ${kind}`,
        sent: `${kind}/${readId(kind, text) ?? ''}`
      })
      return `/try?${query.toString()}`
    }
  },
  'send-test-deposit': {
    done: 'The deposit was accepted.',
    call: async (_fields, { ask, newId }) => {
      const { body } = await ask({ method: 'GET', path: '/__admin/examples?kind=deposit' })
      if (!exampleValidator.check(body)) throw new Error('this account cannot make deposits')
      const { path, body: example } = body
      return { method: 'POST', path, body: { ...example, depositId: newId() } }
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
