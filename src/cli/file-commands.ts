import { Type } from '../lib/typebox.ts'
import type { Command } from './command.ts'

/** Commands that write files of a running mock, or read them. */

const Url = Type.Optional(
  Type.String({
    format: 'base-url',
    description: 'the http or https URL of the mock; without it, host and port are used'
  })
)

const settings = ['host', 'port', 'token', 'adminToken', 'config']

export const fileCommands: readonly Command[] = [
  {
    name: 'snapshot',
    summary: 'exports a snapshot of a running mock to a file, or imports one',
    words: 'ACTION FILE',
    choices: ['export', 'import'],
    flags: {
      url: Url,
      name: Type.Optional(
        Type.String({ minLength: 1, description: 'the name of the snapshot, see below' })
      )
    },
    settings,
    examples: [
      'momock snapshot export paid.snapshot.gz',
      'momock snapshot import paid.snapshot.gz',
      'momock snapshot import paid.snapshot.gz --name paid   # to restore it later'
    ],
    notes:
      'ACTION is export or import. export writes the account as it is now, or the snapshot ' +
      '--name. import restores the account to the file; with --name it only stores the file as ' +
      'a snapshot.\nExit codes: 0 done. 1 the file cannot be used or written. 2 wrong arguments ' +
      'or wrong configuration. 3 no mock at this address.',
    load: () => import('./snapshot.ts')
  }
]
