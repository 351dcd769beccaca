import { Type } from '../lib/typebox.ts'
import { settings } from '../config/config.ts'
import { Duration } from '../lib/duration.ts'
import type { Command } from './command.ts'
import { limits } from './load/limits.ts'

/**
 * Every command, the one that runs without a name first. What they do is loaded when they are asked
 * for.
 */

const all = settings.map(({ name }) => name)
const Url = Type.Optional(
  Type.String({
    format: 'base-url',
    description:
      'the http or https URL of the mock; otherwise the host and port of the configuration'
  })
)

export const commands: readonly Command[] = [
  {
    name: 'start',
    summary: 'starts the server; so does momock alone',
    flags: {},
    settings: all,
    notes:
      'SIGTERM and Ctrl-C end it in order (exit code 0). 2: bad configuration. 3: the ' +
      'address cannot be used. 4: the ledger cannot be used.',
    load: () => import('./start.ts')
  },
  {
    name: 'healthcheck',
    summary: 'asks a running mock whether it is up',
    flags: {
      url: Url,
      timeout: Type.Unsafe({
        ...Duration,
        default: '3s',
        description: "how long to wait for the answer, such as '3s', at most 10m"
      })
    },
    settings: ['host', 'port', 'config'],
    notes: 'Exit codes: 0 it is up, 1 it is not, 2 bad arguments or bad configuration.',
    load: () => import('./healthcheck.ts')
  },
  {
    name: 'validate',
    summary: 'checks configuration and scenario files, and folders of them',
    words: 'FILE…',
    flags: {},
    settings: [],
    notes:
      'A file whose name begins with momock is a configuration, every other one a ' +
      'scenario.\nExit codes: 0 all are fine, 2 at least one is not.',
    load: () => import('./validate.ts')
  },
  {
    name: 'env',
    summary: 'prints the variables that point an application at the mock',
    flags: {
      url: Type.Optional(
        Type.String({
          format: 'base-url',
          description:
            'the http or https URL of the mock; otherwise publicUrl, or the host and port of ' +
            'the configuration'
        })
      )
    },
    settings: ['host', 'port', 'token', 'publicUrl', 'config'],
    notes:
      'eval "$(momock env)" sets them in a shell. The URLs hold no version: clients add /v2 ' +
      'themselves.\nExit codes: 0 printed, 2 bad arguments or bad configuration.',
    load: () => import('./env.ts')
  },
  {
    name: 'init',
    summary: 'writes a commented configuration, a scenario and a compose file to begin with',
    words: '[FOLDER]',
    flags: {},
    settings: [],
    notes:
      'What is there already is kept as it is.\nExit codes: 0 done, 1 a file cannot be ' +
      'written, 2 bad arguments.',
    load: () => import('./init.ts')
  },
  {
    name: 'doctor',
    summary: 'looks for what is wrong around it, and says how to mend it',
    flags: {},
    settings: all,
    notes:
      'It looks at the configuration, the port, the ledger, who can steer the mock, the ' +
      'callback URLs, the clocks of others, and chromium.\nExit codes: 0 nothing is wrong, ' +
      'though something may be worth a look (warn), 1 something is wrong (fail), 2 bad ' +
      'arguments or bad configuration.',
    load: () => import('./doctor.ts')
  },
  {
    name: 'load',
    summary: 'sends deposits, duplicates and status checks to a running mock, and measures',
    flags: {
      url: Url,
      rate: Type.Integer({
        minimum: 0,
        maximum: limits.rate,
        default: 0,
        description: `requests per second, up to ${limits.rate}; 0 for as many as it can`
      }),
      duration: Type.Unsafe({
        ...Duration,
        default: '10s',
        description: "how long, from '1s' to '5m'"
      }),
      connections: Type.Integer({
        minimum: 1,
        maximum: limits.connections,
        default: 10,
        description: `connections at once, 1 to ${limits.connections}`
      }),
      mix: Type.String({
        default: 'initiations=8,duplicates=1,checks=1',
        description: 'how many of each in a round: initiations, duplicates, checks'
      }),
      json: Type.Optional(Type.String({ minLength: 1, description: 'a file for the figures' })),
      html: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'a file for a page with the figures and plots of them'
        })
      )
    },
    settings: ['host', 'port', 'token', 'config'],
    notes:
      'The payments stay in the ledger of that mock; a token like sandbox-load keeps them in ' +
      'an account of their own.\nExit codes: 0 every answer was the right one, 1 some were ' +
      'not, 2 bad arguments or bad configuration, 3 there is no mock at the address.',
    load: () => import('./load/load.ts')
  }
]
