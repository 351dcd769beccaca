import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runCommand } from '../support/command-runner.ts'
import { long } from '../support/full.ts'
import { mockOf, serve } from './servers.ts'
import { folder } from '../support/helper.ts'

/** `momock conform` where it cannot run: the address, the token, the flags, the recording. */

t.test('what cannot be checked is told, and nothing is written', long, async (t) => {
  const mock = await mockOf(t)
  const page = await serve(t, (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>')
  )
  const elsewhere = await serve(t, (_request, response) =>
    response.writeHead(301, { location: 'https://www.example.org/v2?token=secret' }).end()
  )
  const silent = await serve(t, () => {})
  const files = folder(t)
  for (const [name, text] of [
    ['not.har', 'no'],
    ['empty.har', '{}'],
    ['odd.har', '{"log":{"entries":[{"request":{"method":"GET","url":"/v2"}}]}}'],
    ['none.har', '{"log":{"entries":[]}}']
  ]) {
    writeFileSync(join(files, name), text)
  }
  const rows: Array<[what: string, args: string[], code: number, said: RegExp]> = [
    [
      'nobody is there',
      ['--url', 'http://127.0.0.1:9'],
      3,
      /http:\/\/127\.0\.0\.1:9 cannot be checked: .*; check the address/
    ],
    [
      'a page',
      ['--url', page],
      3,
      /is not a server of this API: it answers 200 with text\/html instead of JSON/
    ],
    [
      'a redirect',
      ['--url', elsewhere],
      3,
      /: the server redirects \(301\) to https:\/\/www\.example\.org\/v2; check the address/
    ],
    ['no answer in time', ['--url', silent, '--timeout', '100ms'], 3, /no answer within 100 ms/],
    [
      'a token that is refused',
      ['--url', mock.url, '--token', 'wrong'],
      2,
      /refuses the token \(401\); set a token of that server with --token or MOMOCK_TOKEN/
    ],
    [
      'payments that are real',
      ['--url', 'https://api.payments.io', '--write'],
      2,
      /--write makes payments, and https:\/\/api\.payments\.io does not look like a sandbox/
    ],
    [
      'a provider without numbers',
      ['--url', mock.url, '--write', '--provider', 'WAVE_SEN'],
      2,
      /--provider must be one with sandbox numbers .* got 'WAVE_SEN'/
    ],
    ['a switch with a value', ['--write=yes'], 2, /--write takes no value, got 'yes'/],
    ['three servers', [mock.url, mock.url, mock.url], 2, /is one address too many/],
    [
      'a second server that is no address',
      [mock.url, 'elsewhere'],
      2,
      /the server must be an http or https URL without a query, got 'elsewhere'/
    ],
    [
      'a word too many',
      ['--url', mock.url, mock.url],
      2,
      /is not expected with --url; two servers are compared with momock conform/
    ],
    [
      'a recording and a comparison',
      ['--har', 'x', mock.url, mock.url],
      2,
      /--har checks a recording and calls no server/
    ],
    [
      'a token for nobody',
      ['--second-token', 'x'],
      2,
      /--second-token needs two servers: .*; use --token/
    ],
    [
      'a time that is none',
      ['--url', mock.url, '--timeout', '0s'],
      2,
      /--timeout must be more than 0 and at most 10m/
    ],
    ['a recording that is not there', ['--har', 'gone.har'], 2, /--har: gone\.har cannot be read/],
    [
      'a recording that is not JSON',
      ['--har', 'not.har'],
      2,
      /--har: not\.har: the file is not JSON/
    ],
    [
      'JSON that is no recording',
      ['--har', 'empty.har'],
      2,
      /log\.entries is missing; a HAR file is/
    ],
    [
      'an entry that is none',
      ['--har', 'odd.har'],
      2,
      /log\.entries\[0\]\.request\.url must be an absolute URL/
    ],
    [
      'a recording of nothing',
      ['--har', 'none.har'],
      2,
      /none\.har has no request of this API; it has 0 others/
    ],
    [
      'a report that cannot be written',
      ['--url', mock.url, '--junit', 'odd.har/report.xml'],
      2,
      /--junit: odd\.har\/report\.xml cannot be written/
    ]
  ]
  const before = readdirSync(files)
  for (const [what, args, code, said] of rows) {
    const outcome = await runCommand(
      t,
      ['conform', ...args, ...(args.includes('--junit') ? [] : ['--json', 'never.json'])],
      { cwd: files }
    )
    t.match({ code: outcome.code, text: outcome.stderr }, { code, text: said }, what)
    t.notMatch(outcome.stderr, /secret|at .*\.ts:\d+/, what)
  }
  t.same(readdirSync(files), before)
})
