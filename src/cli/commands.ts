import { choice, Duration, text, Type } from '../lib/typebox.ts'
import { settings } from '../config/config.ts'
import { noMock, type Command } from './command.ts'
import { conformCommand } from './conform-command.ts'
import { examCommand } from './exam-command.ts'
import { fileCommands } from './file-commands.ts'
import { createUrl, mockSettings, Url } from './mock-flags.ts'
import { mockCommands } from './mock-commands.ts'
import { reportFlags } from './reports.ts'
import { startCommand } from './start-command.ts'
import { loadCommand } from './load-command.ts'
import { languages } from '../tls/trust-lines.ts'

const allSettings = settings.map(({ name }) => name)

/** All commands. The first one runs if no command is named. */
export const commands: readonly Command[] = [
  startCommand,
  {
    name: 'healthcheck',
    group: 'run',
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
    examples: [
      'momock healthcheck',
      'momock healthcheck --url http://127.0.0.1:7070 --timeout 10s'
    ],
    exits: { 0: 'healthy', 1: 'not healthy' },
    load: () => import('./healthcheck.ts')
  },
  {
    name: 'validate',
    group: 'run',
    summary: 'checks configuration files and scenario files, or folders with them',
    words: 'FILE…',
    flags: {},
    settings: [],
    examples: ['momock validate momock.yaml', 'momock validate scenarios'],
    notes:
      'A file whose name begins with momock is a configuration. All other files are ' +
      'scenarios. The folder of scenarios that a configuration names is checked with it. ' +
      'Folders include their subfolders.',
    exits: { 0: 'all files are valid', 2: 'a file is not valid' },
    load: () => import('./validate.ts')
  },
  {
    name: 'env',
    group: 'use',
    summary: 'prints environment variables that point an application to the mock',
    flags: {
      url: createUrl(
        'the http or https URL of the mock; without it, publicUrl or host and port are used'
      )
    },
    settings: ['host', 'port', 'token', 'publicUrl', 'config'],
    examples: ['eval "$(momock env)"', 'momock env --url http://localhost:7070'],
    notes:
      'Use it in a shell: eval "$(momock env)". The URLs contain no version, because clients ' +
      'add /v2 themselves.',
    exits: { 0: 'printed' },
    load: () => import('./env.ts')
  },
  {
    name: 'ca',
    group: 'use',
    summary: 'prints the certificate that HTTPS clients must trust, or how a language trusts it',
    flags: {
      url: Url,
      env: Type.Optional(
        choice(languages, {
          description: `one of ${languages.join(', ')}: prints the lines for a shell`
        })
      ),
      hosts: Type.Optional(
        Type.Boolean({ description: 'prints the line of all hosts for /etc/hosts' })
      )
    },
    settings: ['host', 'port', 'tlsDir', 'tlsHosts', 'tlsCert', 'db', 'config'],
    examples: [
      'momock ca > ca.pem',
      'eval "$(momock ca --env python)"',
      'momock ca --url http://127.0.0.1:7070',
      'momock ca --hosts | sudo tee -a /etc/hosts'
    ],
    notes:
      'It asks the mock of --url, or the one that runs with these settings. If none runs, it ' +
      'opens the certificate authority of --tls-dir, and creates it if there is none yet. ' +
      '--env stores a certificate that is not in --tls-dir in its folder trusted. See ' +
      'docs/tls.md.',
    exits: { 0: 'printed', 1: 'the mock has no authority', 3: 'no mock at --url' },
    load: () => import('./ca.ts')
  },
  {
    name: 'init',
    group: 'run',
    summary: 'writes a first configuration file, a scenario and a compose file',
    words: '[FOLDER]',
    flags: {},
    settings: [],
    examples: ['momock init', 'momock init ../shop'],
    notes: 'Existing files are not changed.',
    exits: { 0: 'done', 1: 'a file cannot be written', 2: 'wrong arguments' },
    load: () => import('./init.ts')
  },
  {
    name: 'doctor',
    group: 'run',
    summary: 'finds problems in the setup and shows how to fix them',
    flags: {},
    settings: allSettings,
    examples: ['momock doctor', 'momock doctor --callback-url http://127.0.0.1:3000/callbacks'],
    notes:
      'It checks the configuration, the port, HTTPS, the ledger, access to the admin API, ' +
      'the callback URLs, and the clocks of other servers.',
    exits: { 0: 'no problem, or only warnings (warn)', 1: 'a problem (fail)' },
    load: () => import('./doctor.ts')
  },
  loadCommand,
  conformCommand,
  {
    name: 'lint',
    group: 'check',
    summary: 'finds requests of an application that v2 refuses or warns about',
    words: '[FILE]',
    flags: {
      url: Url,
      ignore: Type.Optional(
        text('rules to ignore, separated by commas, such as v1-path,browser-call')
      ),
      ...reportFlags('json', 'junit', 'markdown')
    },
    settings: mockSettings,
    examples: [
      'momock lint',
      "curl -s 'http://127.0.0.1:7070/__admin/requests?limit=1000' > journal.json",
      'momock lint journal.json'
    ],
    notes: 'It reads the journal of a running mock, or a file that was saved from it.',
    exits: {
      0: 'no findings',
      1: 'findings',
      2: 'wrong arguments, wrong configuration, or an unreadable file',
      3: noMock
    },
    load: () => import('./lint.ts')
  },
  examCommand,
  ...mockCommands,
  ...fileCommands
]
