import { choice, Duration, text, Type } from '../lib/typebox.ts'
import type { Command } from './command.ts'
import { createUrl } from './mock-flags.ts'
import { reportFlags } from './reports.ts'

/** Row of `momock conform`. */
export const conformCommand: Command = {
  name: 'conform',
  group: 'check',
  summary: 'compares the answers of a server with the schemas of this version',
  words: '[URL [SECOND-URL]]',
  flags: {
    url: createUrl('the http or https URL of the server; without it, host and port are used'),
    write: Type.Optional(
      Type.Boolean({ description: 'makes payments with sandbox numbers; only for sandboxes' })
    ),
    apiVersion: Type.Optional(
      choice(['v1', 'v2'], {
        description: "'v1' or 'v2'; without it, both are checked"
      })
    ),
    provider: Type.Optional(
      text('the provider for --write, such as MTN_MOMO_ZMB; one with sandbox numbers')
    ),
    secondToken: Type.Optional(
      Type.String({
        minLength: 1,
        pattern: '^[!-~]+$',
        description: 'the token for SECOND-URL, without spaces; without it, --token is used'
      })
    ),
    har: Type.Optional(
      text('a recording (HAR file) to check; no server is called')
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
    ...reportFlags('json', 'junit', 'markdown')
  },
  settings: ['host', 'port', 'token', 'config'],
  examples: [
    'momock conform --url https://api.sandbox.example --token TOKEN',
    'momock conform http://127.0.0.1:7070 https://api.sandbox.example --second-token TOKEN',
    'momock conform --har recording.har'
  ],
  notes:
    'With two URLs it compares the servers. URL is the same as --url. Without --write it ' +
    'changes nothing on the server: it reads, asks for unknown ' +
    'identifiers, and sends bodies that must be refused.',
  exits: {
    0: 'no differences',
    1: 'differences',
    2: 'wrong arguments, wrong configuration, a refused token, or an unreadable recording',
    3: 'no server of this API at this address'
  },
  load: () => import('./conform.ts')
}
