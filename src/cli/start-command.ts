import { Type } from '../lib/typebox.ts'
import { settings } from '../config/config.ts'
import type { Command } from './command.ts'

/** Command that runs if none is named. Its own file lets a start load no other commands. */
export const startCommand: Command = {
  name: 'start',
  group: 'run',
  summary: 'starts the server; this is the default command',
  flags: {
    fresh: Type.Optional(
      Type.Boolean({ description: 'deletes the ledger first, so that the start is empty' })
    ),
    watch: Type.Optional(
      Type.Boolean({ description: 'reads configuration and scenarios again when they change' })
    )
  },
  settings: settings.map(({ name }) => name),
  examples: [
    'momock',
    'momock --callback-url http://127.0.0.1:3000/callbacks',
    'momock --db :memory: --clock frozen',
    'momock start --fresh',
    'momock start --watch --scenarios scenarios'
  ],
  notes:
    'SIGTERM and Ctrl-C stop the server after its open requests. --watch keeps what was valid ' +
    'if a file is wrong; a change of the configuration starts the server again.',
  exits: {
    0: 'stopped',
    2: 'wrong configuration',
    3: 'the address cannot be used',
    4: 'the ledger cannot be used'
  },
  load: () => import('./start.ts')
}
