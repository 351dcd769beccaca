import { Type } from '../lib/typebox.ts'
import { settings } from '../config/config.ts'
import { Duration } from '../lib/duration.ts'
import type { Command } from './command.ts'
import { examCommand } from './exam-command.ts'
import { limits } from './load/limits.ts'
import { languages } from '../tls/trust-lines.ts'

const allSettings = settings.map(({ name }) => name)

const Url = Type.Optional(
  Type.String({
    format: 'base-url',
    description: 'the http or https URL of the mock; without it, host and port are used'
  })
)

const Json = Type.Optional(
  Type.String({
    minLength: 1,
    description: 'a file for the report as JSON; - for the standard output'
  })
)

const Junit = Type.Optional(
  Type.String({
    minLength: 1,
    description: 'a file for the report as JUnit XML; - for the standard output'
  })
)

/** All commands. The first one runs if no command is named. */
export const commands: readonly Command[] = [
  {
    name: 'start',
    summary: 'starts the server; this is the default command',
    flags: {
      fresh: Type.Optional(
        Type.Boolean({ description: 'deletes the ledger first, so that the start is empty' })
      )
    },
    settings: allSettings,
    notes:
      'SIGTERM and Ctrl-C stop the server after its open requests.\nExit codes: 0 stopped. ' +
      '2 wrong configuration. 3 the address cannot be used. 4 the ledger cannot be used.',
    load: () => import('./start.ts')
  },
  {
    name: 'healthcheck',
    summary: 'checks that a server is running and healthy',
    flags: {
      url: Url,
      timeout: Type.Unsafe({
        ...Duration,
        default: '3s',
        description: "the time to wait for the answer, such as '3s', at most 10m"
      })
    },
    settings: ['host', 'port', 'config'],
    notes: 'Exit codes: 0 healthy. 1 not healthy. 2 wrong arguments or wrong configuration.',
    load: () => import('./healthcheck.ts')
  },
  {
    name: 'validate',
    summary: 'checks configuration files and scenario files, or folders with them',
    words: 'FILE…',
    flags: {},
    settings: [],
    notes:
      'A file whose name begins with momock is a configuration. All other files are ' +
      'scenarios.\nExit codes: 0 all files are valid. 2 a file is not valid.',
    load: () => import('./validate.ts')
  },
  {
    name: 'env',
    summary: 'prints environment variables that point an application to the mock',
    flags: {
      url: Type.Optional(
        Type.String({
          format: 'base-url',
          description:
            'the http or https URL of the mock; without it, publicUrl or host and port are used'
        })
      )
    },
    settings: ['host', 'port', 'token', 'publicUrl', 'config'],
    notes:
      'Use it in a shell: eval "$(momock env)". The URLs contain no version, because clients ' +
      'add /v2 themselves.\nExit codes: 0 printed. 2 wrong arguments or wrong configuration.',
    load: () => import('./env.ts')
  },
  {
    name: 'ca',
    summary: 'prints the certificate that HTTPS clients must trust, or how a language trusts it',
    flags: {
      env: Type.Optional(
        Type.Union(
          languages.map((language) => Type.Literal(language)),
          { description: `one of ${languages.join(', ')}: prints the lines for a shell` }
        )
      )
    },
    settings: ['tlsDir', 'tlsHosts', 'tlsCert', 'db', 'config'],
    notes:
      'Use it in a shell: momock ca > ca.pem, or eval "$(momock ca --env python)". It creates ' +
      'the certificate\nauthority if there is none yet. See docs/tls.md.\n' +
      'Exit codes: 0 printed. 2 wrong arguments or wrong configuration.',
    load: () => import('./ca.ts')
  },
  {
    name: 'init',
    summary: 'writes a first configuration file, a scenario and a compose file',
    words: '[FOLDER]',
    flags: {},
    settings: [],
    notes:
      'Existing files are not changed.\nExit codes: 0 done. 1 a file cannot be written. ' +
      '2 wrong arguments.',
    load: () => import('./init.ts')
  },
  {
    name: 'doctor',
    summary: 'finds problems in the setup and shows how to fix them',
    flags: {},
    settings: allSettings,
    notes:
      'It checks the configuration, the port, HTTPS, the ledger, access to the admin API, the ' +
      'callback URLs, the clocks of other servers, and chromium.\nExit codes: 0 no problem, ' +
      'or only warnings (warn). 1 a problem (fail). 2 wrong arguments or wrong configuration.',
    load: () => import('./doctor.ts')
  },
  {
    name: 'load',
    summary: 'sends deposits, duplicates and status checks to a mock and measures it',
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
        description: "the length of the run, from '1s' to '5m'"
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
      json: Type.Optional(
        Type.String({ minLength: 1, description: 'a file for the results as JSON' })
      ),
      html: Type.Optional(
        Type.String({ minLength: 1, description: 'a file for the results as a page with charts' })
      )
    },
    settings: ['host', 'port', 'token', 'config'],
    notes:
      'The payments stay in the ledger of the mock. A token such as sandbox-load keeps them ' +
      'in a separate account.\nExit codes: 0 all answers were correct. 1 some answers were ' +
      'wrong. 2 wrong arguments or wrong configuration. 3 no mock at this address.',
    load: () => import('./load.ts')
  },
  {
    name: 'conform',
    summary: 'compares the answers of a server with the schemas of this version',
    words: '[SECOND-URL]',
    flags: {
      url: Type.Optional(
        Type.String({
          format: 'base-url',
          description: 'the http or https URL of the server; without it, host and port are used'
        })
      ),
      write: Type.Optional(
        Type.Boolean({ description: 'makes payments with sandbox numbers; only for sandboxes' })
      ),
      generation: Type.Optional(
        Type.Union([Type.Literal('v1'), Type.Literal('v2')], {
          description: "'v1' or 'v2'; without it, both are checked"
        })
      ),
      provider: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'the provider for --write, such as MTN_MOMO_ZMB; one with sandbox numbers'
        })
      ),
      compare: Type.Optional(
        Type.String({
          format: 'base-url',
          description: 'the http or https URL of a server to compare with SECOND-URL'
        })
      ),
      secondToken: Type.Optional(
        Type.String({
          minLength: 1,
          pattern: '^[!-~]+$',
          description: 'the token for SECOND-URL, without spaces; without it, --token is used'
        })
      ),
      har: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'a recording (HAR file) to check; no server is called'
        })
      ),
      seed: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'any text; the same seed gives the same identifiers'
        })
      ),
      timeout: Type.Unsafe({
        ...Duration,
        default: '10s',
        description: "the time to wait for an answer, such as '10s', at most 10m"
      }),
      json: Json,
      junit: Junit,
      markdown: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'a file for the report as Markdown; - for the standard output'
        })
      )
    },
    settings: ['host', 'port', 'token', 'config'],
    notes:
      'Without --write it changes nothing on the server: it reads, asks for unknown ' +
      'identifiers, and sends bodies\nthat must be refused.\n' +
      '  momock conform --url https://api.sandbox.example --token TOKEN\n' +
      '  momock conform --compare http://127.0.0.1:7070 https://api.sandbox.example ' +
      '--second-token TOKEN\n' +
      '  momock conform --har recording.har\n' +
      'Exit codes: 0 no differences. 1 differences. 2 wrong arguments, wrong configuration, a ' +
      'refused token, or an\nunreadable recording. 3 no server of this API at this address.',
    load: () => import('./conform.ts')
  },
  {
    name: 'lint',
    summary: 'finds requests of an application that v2 refuses or warns about',
    words: '[FILE]',
    flags: {
      url: Url,
      ignore: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'rules to ignore, separated by commas, such as v1-path,browser-call'
        })
      ),
      json: Json,
      junit: Junit
    },
    settings: ['host', 'port', 'token', 'adminToken', 'config'],
    notes:
      'It reads the journal of a running mock, or a file that was saved from it:\n' +
      "  curl -s 'http://127.0.0.1:7070/__admin/requests?limit=1000' > journal.json\n" +
      '  momock lint journal.json\n' +
      'Exit codes: 0 no findings. 1 findings. 2 wrong arguments, wrong configuration, or an ' +
      'unreadable file.\n3 no mock at this address.',
    load: () => import('./lint.ts')
  },
  examCommand
]
