import { Duration, Type } from '../lib/typebox.ts'
import { noMock, type Command } from './command.ts'
import { limits } from './load/limits.ts'
import { mockSettings, Url } from './mock-flags.ts'
import { reportFlags } from './reports.ts'

/** Row of `momock load`. */
export const loadCommand: Command = {
  name: 'load',
  group: 'use',
  summary: 'sends requests to a mock and measures it, or storms a receiver with callbacks',
  flags: {
    url: Url,
    rate: Type.Integer({
      minimum: 0,
      maximum: limits.rate,
      default: 0,
      description: `the number of requests per second, up to ${limits.rate}; 0 for no limit`
    }),
    duration: Type.Unsafe({
      ...Duration,
      default: '10s',
      description: "the length of the run, or of each step of --find-limit, from '1s' to '5m'"
    }),
    connections: Type.Integer({
      minimum: 1,
      maximum: limits.connections,
      default: 10,
      description: `the number of connections, 1 to ${limits.connections}`
    }),
    mix: Type.String({
      default: 'initiations=8,duplicates=1,checks=1',
      description: 'the number of initiations, duplicates and checks in each round'
    }),
    lives: Type.Optional(
      Type.Boolean({
        description: 'follows each payment to its callback, which this command receives itself'
      })
    ),
    receiverHost: Type.String({
      default: '127.0.0.1',
      pattern: '^[A-Za-z0-9.-]+$',
      description:
        'the name of this machine for the mock, for --lives; in a container host.docker.internal'
    }),
    findLimit: Type.Optional(
      Type.Boolean({
        description: 'finds the highest rate with a p99 below --p99; begins with --rate, or 100'
      })
    ),
    p99: Type.Unsafe({
      ...Duration,
      default: '50ms',
      description: "the bound of the 99th percentile for --find-limit, from '1ms' to '10s'"
    }),
    callbacks: Type.Optional(
      Type.String({
        format: 'base-url',
        description: 'the URL of your receiver: it gets the signed callbacks, --rate per second'
      })
    ),
    ...reportFlags('json', 'html')
  },
  settings: mockSettings,
  examples: [
    'momock load --rate 500 --duration 30s',
    'momock load --lives --connections 50 --html report.html',
    'momock load --find-limit --p99 50ms --duration 5s',
    'momock load --callbacks http://127.0.0.1:3000/callbacks --rate 200'
  ],
  notes:
    'The payments stay in the ledger of the mock. A token such as sandbox-load keeps them in ' +
    'a separate account. --lives and --callbacks change the URL of the deposit callbacks of ' +
    'the account during the run.',
  exits: {
    0: 'all answers and callbacks were correct',
    1: 'some were not, or no rate was kept',
    3: noMock
  },
  load: () => import('./load.ts')
}
