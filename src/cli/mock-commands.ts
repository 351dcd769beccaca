import { choice, Duration, text, Type } from '../lib/typebox.ts'
import { kinds } from '../domain/kinds.ts'
import { statuses } from '../domain/status.ts'
import { noMock, type Command } from './command.ts'
import { mockSettings, Url } from './mock-flags.ts'

/** Commands that use a running mock: send, tail, listen, payments, advance and mcp. */

const Id = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
      description
    })
  )

const kindNames = Object.keys(kinds)

const exits = { 0: 'done', 1: 'the mock refused it', 3: noMock }

export const mockCommands: readonly Command[] = [
  {
    name: 'send',
    group: 'use',
    summary: 'makes a payment and follows it to its end',
    words: 'KIND',
    flags: {
      url: Url,
      amount: Type.Optional(
        text('the amount, such as 15.00; without it, one that the provider accepts')
      ),
      currency: Type.Optional(text('the currency; without it, that of the provider')),
      provider: Type.Optional(text('the provider; without it, MTN_MOMO_ZMB')),
      phoneNumber: Type.Optional(text('the phone number; without it, one that completes')),
      deposit: Id('the identifier (a UUID) of the deposit to refund; without it, the latest one'),
      id: Id('the identifier (a UUID) of the payment; without it, a new one'),
      scenario: Type.Optional(text('the scenario that the payment follows')),
      timeout: Type.Optional(
        Type.Unsafe({
          ...Duration,
          description:
            "the time to follow the payment, such as '1m', at most 1h; without it, 30s, and 15m " +
            'for a checkout'
        })
      ),
      curl: Type.Optional(
        Type.Boolean({ description: 'prints the request as a curl command and sends nothing' })
      )
    },
    settings: mockSettings,
    examples: [
      'momock send deposit',
      'momock send deposit --phone-number 260763456039   # a test number that fails',
      'momock send payout --provider MTN_MOMO_RWA --amount 500',
      'momock send refund                                # of the latest deposit',
      'momock send deposit --curl'
    ],
    notes:
      `KIND is one of ${kindNames.join(', ')}. The lines after the answer are those of ` +
      'momock tail.',
    exits: {
      0: 'the payment completed',
      1: 'it was refused, failed, or did not end in time',
      3: noMock
    },
    load: () => import('./send.ts')
  },
  {
    name: 'tail',
    group: 'use',
    summary: 'prints the events of a running mock, one line each',
    flags: {
      url: Url,
      all: Type.Optional(
        Type.Boolean({ description: 'prints the events of all accounts, not only of the token' })
      ),
      json: Type.Optional(Type.Boolean({ description: 'prints each event as JSON' }))
    },
    settings: mockSettings,
    examples: ['momock tail', 'momock tail --all --url http://localhost:7070'],
    notes: 'Ctrl-C stops it. Under load, a line per second counts the events.',
    exits: { 0: 'stopped', 1: 'the mock has stopped', 3: noMock },
    load: () => import('./tail.ts')
  },
  {
    name: 'listen',
    group: 'use',
    summary: 'fetches the callbacks of an account and posts them to your handler',
    words: 'URL',
    flags: {
      url: Url,
      kind: Type.Optional(
        Type.String({
          pattern: `^(${kindNames.join('|')})(,(${kindNames.join('|')}))*$`,
          description: `only callbacks of these kinds, separated by commas: ${kindNames.join(', ')}`
        })
      ),
      metadata: Type.Optional(
        text("only callbacks with this metadata, such as 'developer=anna'")
      ),
      host: Type.Optional(
        text('the Host header that the handler expects; without it, that of the callback')
      ),
      json: Type.Optional(Type.Boolean({ description: 'prints each callback as JSON' }))
    },
    settings: mockSettings,
    examples: [
      'momock listen http://127.0.0.1:3000',
      'momock listen http://127.0.0.1:3000/callbacks --kind deposit,refund',
      'momock listen http://127.0.0.1:3000 --url https://mock.example --metadata developer=anna'
    ],
    notes:
      'The connection goes out from here: the mock can be in a container or behind a firewall. ' +
      'A callback that a listener takes is not sent to the callback URL. URL is your handler; ' +
      'its path replaces that of the callback, unless it is the root. Ctrl-C stops it. See ' +
      'docs/callbacks.md.',
    exits: { 0: 'stopped', 1: 'the mock refused it', 3: noMock },
    load: () => import('./listen.ts')
  },
  {
    name: 'payments',
    group: 'use',
    summary: 'lists the latest payments of an account',
    flags: {
      url: Url,
      kind: Type.Optional(choice(kindNames)),
      status: Type.Optional(choice(statuses)),
      limit: Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: 20,
        description: 'the number of payments, 1 to 1000'
      }),
      json: Type.Optional(Type.Boolean({ description: 'prints them as JSON' }))
    },
    settings: mockSettings,
    examples: ['momock payments', 'momock payments --kind deposit --status FAILED'],
    notes: 'The newest payment comes first.',
    exits,
    load: () => import('./payments.ts')
  },
  {
    name: 'advance',
    group: 'use',
    summary: 'advances the clock of an account, with everything that becomes due',
    words: 'TIME',
    flags: { url: Url },
    settings: mockSettings,
    examples: ['momock advance 15m', 'momock advance idle'],
    notes:
      'TIME is a duration such as 30s, 15m or 2h; next, the time at which something is due; or ' +
      'idle, until nothing is due any more.',
    exits,
    load: () => import('./advance.ts')
  },
  {
    name: 'mcp',
    group: 'use',
    summary: 'serves tools for assistants (Model Context Protocol) about a running mock',
    flags: {
      url: Url,
      allowChanges: Type.Optional(
        Type.Boolean({ description: 'also offers the tools that change the mock' })
      )
    },
    settings: mockSettings,
    examples: ['momock mcp', 'momock mcp --url http://localhost:7070 --allow-changes'],
    notes:
      'An assistant starts it and speaks over standard input and output. The mock itself ' +
      'serves the same tools at /__admin/mcp.',
    exits: { 0: 'the assistant has closed it' },
    load: () => import('./mcp.ts')
  }
]
