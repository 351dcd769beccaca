import { choice, Duration, text, Type } from '../lib/typebox.ts'
import type { Command } from './command.ts'
import { createUrl } from './mock-flags.ts'
import { reportFlags } from './reports.ts'

/** Schema of a flag that names a file. */
const createFile = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, description }))

const flags: Command['flags'] = {
  callback: Type.Optional(
    Type.String({
      format: 'http-url',
      description: 'the http or https URL where your application receives callbacks'
    })
  ),
  config: createFile('the configuration of the exam; without it, exam.yaml if it exists'),
  url: createUrl(
    'the http or https URL of a running mock; without it, one is started on port 7171'
  ),
  parallel: Type.Integer({
    minimum: 1,
    maximum: 16,
    default: 1,
    description: 'the number of checks that run at once, 1 to 16; needs start.command'
  }),
  settle: Type.Optional(
    Type.Unsafe({
      ...Duration,
      description: "the longest time that the effects of a callback take, such as '1s'"
    })
  ),
  patience: Type.Optional(
    Type.Unsafe({
      ...Duration,
      description: "the longest time until your own job notices a missing callback, such as '30s'"
    })
  ),
  failOn: choice(['low', 'medium', 'high', 'critical'], {
    default: 'high',
    description: 'the lowest severity that counts: low, medium, high or critical'
  }),
  strict: Type.Optional(
    Type.Boolean({ description: 'warnings, which are recommendations, count as well' })
  ),
  expect: createFile('a file of known findings: each id with the reason'),
  language: Type.Optional(
    choice(['node', 'php', 'python', 'go'], {
      description: 'shows how to verify callbacks in node, php, python or go'
    })
  ),
  ...reportFlags('json', 'junit', 'markdown', 'html'),
  list: Type.Optional(Type.Boolean({ description: 'lists the checks' })),
  explain: Type.Optional(
    text('explains a check, such as SIG-01')
  ),
  seed: Type.String({
    minLength: 1,
    default: 'exam',
    description: 'any text; the same seed gives the same run'
  }),
  thisHostIsMine: Type.Optional(
    text('a host outside this machine and its private network that is yours to examine')
  )
}

/** Row of `momock exam`. */
export const examCommand: Command = {
  name: 'exam',
  group: 'check',
  summary: 'examines your own application with forged, repeated, late and lost callbacks',
  words: '[ID…]',
  flags,
  settings: [],
  examples: [
    'momock exam init',
    'momock exam --callback http://127.0.0.1:3000/callbacks',
    'momock exam SIG IDE-01'
  ],
  notes:
    'ID is a check such as SIG-01, or a family such as SIG. momock exam init writes a first ' +
    'configuration.',
  exits: {
    0: 'no findings that count',
    1: 'findings',
    3: 'the application cannot be reached or driven, or checks prove nothing'
  },
  load: () => import('./exam.ts')
}
