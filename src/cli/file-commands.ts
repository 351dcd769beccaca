import { text, Type } from '../lib/typebox.ts'
import { noMock, type Command } from './command.ts'
import { mockSettings, Url } from './mock-flags.ts'
import { reportFlags } from './reports.ts'

/** Commands that read or write files: snapshots, expectations, ledgers and vectors. */

export const fileCommands: readonly Command[] = [
  {
    name: 'snapshot',
    group: 'use',
    summary: 'exports a snapshot of a running mock to a file, or imports one',
    words: 'ACTION FILE',
    flags: {
      url: Url,
      name: Type.Optional(
        text('the name of the snapshot, see below')
      )
    },
    settings: mockSettings,
    examples: [
      'momock snapshot export paid.snapshot.gz',
      'momock snapshot import paid.snapshot.gz',
      'momock snapshot import paid.snapshot.gz --name paid   # to restore it later'
    ],
    notes:
      'ACTION is export or import. export writes the account as it is now, or the snapshot ' +
      '--name. import restores the account to the file; with --name it only stores the file ' +
      'as a snapshot.',
    exits: { 0: 'done', 1: 'the file cannot be used or written', 3: noMock },
    load: () => import('./snapshot.ts')
  },
  {
    name: 'verify',
    group: 'check',
    summary: 'checks the expectations of a file with what a running mock has seen',
    words: 'FILE',
    flags: {
      url: Url,
      coverage: Type.Optional(
        Type.Boolean({ description: 'reports the coverage of the API, too' })
      ),
      min: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 100,
          description: 'a whole number from 0 to 100: the percentage that must be covered'
        })
      ),
      ...reportFlags('json', 'junit', 'markdown')
    },
    settings: mockSettings,
    examples: [
      'momock verify expectations.yaml',
      'momock verify expectations.yaml --url http://127.0.0.1:7070 --junit verify.xml',
      'momock verify expectations.yaml --coverage --min 60'
    ],
    notes:
      'FILE is YAML or JSON with `expectations`, as POST /__admin/verify takes them. In GitHub ' +
      'Actions the report is added to the summary of the job, and each unmet expectation is an ' +
      'annotation at its line.',
    exits: {
      0: 'all expectations were met',
      1: 'one was not, or less than --min is covered',
      2: 'wrong arguments, or a wrong file',
      3: noMock
    },
    load: () => import('./verify.ts')
  },
  {
    name: 'vectors',
    group: 'check',
    summary: 'writes signed callbacks, genuine and forged, to test a verification with',
    words: '[FOLDER]',
    flags: {
      seed: Type.String({
        minLength: 1,
        default: 'momock',
        description: 'the text that keys and identifiers follow from'
      }),
      time: Type.String({
        minLength: 1,
        default: '2026-01-31T12:00:00Z',
        description: 'the time of the signatures'
      })
    },
    settings: [],
    examples: ['momock vectors', 'momock vectors test/vectors --seed shop'],
    notes:
      'FOLDER is `vectors` if you name none. Each file is a callback with its headers, the bytes ' +
      'of its body, the keys of the service, the time of its arrival, and the decision that a ' +
      'receiver must make: accept, refuse, or either. The same seed and time give the same ' +
      'files. See docs/signatures.md.',
    exits: { 0: 'written', 1: 'a file cannot be written', 2: 'wrong arguments' },
    load: () => import('./vectors.ts')
  }
]
