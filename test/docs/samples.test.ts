import { execFile } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { isGenuine } from '../../examples/verify/verify.mjs'
import { requests } from '../support/examples.ts'
import { build, folder, type Client } from '../support/helper.ts'
import { arrived, keysOf, merchant, text, type Arrival } from '../support/merchant.ts'

/**
 * The samples of docs/signatures.md, in every language there is an interpreter for, against real
 * callbacks of the mock and forged ones.
 */

interface Key {
  id: string
  key: string
}

/** A message to judge, at a time in seconds. */
interface Case extends Arrival {
  what: string
  genuine: boolean
  keys: Key[]
  now: number
}

const sample = (name: string): string =>
  fileURLToPath(new URL(`../../examples/verify/${name}`, import.meta.url))

/** Reads the cases, calls the sample, and prints what it says of each. */
const php = `require '${sample('verify.php')}';
$check = fn ($case) => isGenuine($case['method'], $case['url'], $case['headers'],
    base64_decode($case['body']), $case['keys'], $case['now']);
echo json_encode(array_map($check, json_decode(stream_get_contents(STDIN), true)));`
const python = `import base64, json, sys
sys.path.insert(0, '${sample('.')}')
sys.dont_write_bytecode = True
from verify import is_genuine
print(json.dumps([
    is_genuine(case['method'], case['url'], case['headers'], base64.b64decode(case['body']),
               case['keys'], case['now'])
    for case in json.load(sys.stdin)
]))`
const go = `package main

import (
  "encoding/json"
  "net/http"
  "net/url"
  "os"
  "time"

  "sample/verify"
)

func main() {
  var cases []struct {
    Method, URL string
    Headers     map[string]string
    Body        []byte
    Keys        []verify.Key
    Now         int64
  }
  if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
    panic(err)
  }
  said := []bool{}
  for _, c := range cases {
    target, _ := url.ParseRequestURI(c.URL)
    request := &http.Request{Method: c.Method, URL: target, Header: http.Header{}}
    request.Host = c.Headers["host"]
    for name, value := range c.Headers {
      request.Header.Set(name, value)
    }
    said = append(said, verify.IsGenuine(request, c.Body, c.Keys, time.Unix(c.Now, 0)))
  }
  json.NewEncoder(os.Stdout).Encode(said)
}
`

/** Reads a line for each message: texts as base64, in a list with commas. */
const java = `import java.util.*;

public class Judge {
    public static void main(String[] arguments) throws Exception {
        var said = new ArrayList<Boolean>();
        for (var line : new String(System.in.readAllBytes()).split("\\n")) {
            var parts = new ArrayDeque<String>();
            for (var part : line.split(",", -1)) {
                parts.add(new String(Base64.getDecoder().decode(part)));
            }
            var method = parts.remove();
            var path = parts.remove();
            var body = Base64.getDecoder().decode(parts.remove());
            var now = Long.parseLong(parts.remove());
            var headers = pairs(parts);
            said.add(Verify.isGenuine(method, path, headers, body, pairs(parts), now));
        }
        System.out.println(said);
    }

    static Map<String, String> pairs(Queue<String> parts) {
        var pairs = new HashMap<String, String>();
        var count = Integer.parseInt(parts.remove());
        for (int n = 0; n < count; n++) pairs.put(parts.remove(), parts.remove());
        return pairs;
    }
}
`

interface Language {
  name: string
  /** Commands that show whether it is there; the first that works is used. */
  try: string[][]
  run: (t: Test, program: string, cases: Case[]) => Promise<boolean[]>
  /** It is always there: where SAMPLE_TESTS=required, it must be. */
  required?: true
}

const languages: Language[] = [
  {
    name: 'Node',
    try: [[process.execPath, '--version']],
    run: async (_t, _program, cases) =>
      cases.map(({ now, keys, body, ...request }) => isGenuine(request, body, keys, now * 1000)),
    required: true
  },
  {
    name: 'PHP',
    try: [['php', '-r', 'exit(extension_loaded("openssl") ? 0 : 1);']],
    run: async (_t, program, cases) => await judge(program, ['-r', php], cases),
    required: true
  },
  {
    name: 'Python',
    try: ['python3', '/usr/bin/python3'].map((program) => [program, '-c', 'import cryptography']),
    run: async (_t, program, cases) => await judge(program, ['-c', python], cases),
    required: true
  },
  {
    name: 'Go',
    try: [['go', 'version']],
    run: async (t, program, cases) => {
      const module = folder(t)
      mkdirSync(join(module, 'verify'))
      copyFileSync(sample('verify.go'), join(module, 'verify', 'verify.go'))
      writeFileSync(join(module, 'go.mod'), 'module sample\n\ngo 1.18\n')
      writeFileSync(join(module, 'main.go'), go)
      return await judge(program, ['run', '.'], cases, module)
    }
  },
  {
    name: 'Java',
    try: [['javac', '-version']],
    run: async (t, program, cases) => {
      const classes = folder(t)
      writeFileSync(join(classes, 'Judge.java'), java)
      const sources = [join(classes, 'Judge.java'), sample('Verify.java')]
      await promisify(execFile)(program, ['-d', classes, ...sources])
      const lines = cases.map(({ method, url, body, now, headers, keys }) =>
        [
          ...[method, url, body.toString('base64'), now],
          ...[Object.keys(headers).length, ...Object.entries(headers).flat()],
          ...[keys.length, ...keys.flatMap(({ id, key }) => [id, key])]
        ].map((value) => Buffer.from(String(value)).toString('base64'))
      )
      const running = promisify(execFile)('java', ['-cp', classes, 'Judge'])
      running.child.stdin?.end(lines.join('\n'))
      return JSON.parse((await running).stdout)
    }
  }
]

/** Lets a program judge the cases. */
async function judge (
  program: string,
  args: string[],
  cases: Case[],
  cwd?: string
): Promise<boolean[]> {
  const running = promisify(execFile)(program, args, { cwd })
  running.child.stdin?.end(
    JSON.stringify(cases.map(({ body, ...rest }) => ({ ...rest, body: body.toString('base64') })))
  )
  return JSON.parse((await running).stdout)
}

/** The program of a language that works here. */
async function programOf ({ try: tries }: Language): Promise<string | undefined> {
  for (const [program, ...args] of tries) {
    const works = await promisify(execFile)(program, args).then(
      () => true,
      () => false
    )
    if (works) return program
  }
}

/** Faults of callbacks, and whether the callback is still genuine. */
const drills: Array<[callback: object, genuine: boolean]> = [
  [{ duplicates: 1 }, true],
  [{ extraFields: true }, true],
  [{ tampered: true }, false],
  [{ wrongKey: true }, false],
  [{ otherHost: true }, false],
  [{ stale: true }, false],
  [{ unsigned: true }, false]
]

/** Callbacks as they came from the mock, and others that somebody made of them. */
async function casesOf (t: Test): Promise<Case[]> {
  const { url, arrivals } = await merchant(t, [], { wrongBecause: 'it is forged' })
  const mock = await build(t, { callbackUrl: `${url}/hooks?shop=1` })
  const now = Math.floor(Date.now() / 1000)
  const drilled: Array<Omit<Case, 'keys'>> = []
  for (const [callback, genuine] of drills) {
    const seen = arrivals.length
    await deposit(mock, {
      name: 'drill',
      callback,
      times: 1,
      script: [
        { after: '1ms', to: 'PROCESSING' },
        { after: '1ms', to: 'COMPLETED' }
      ]
    })
    await arrived(arrivals, seen + ('duplicates' in callback ? 2 : 1))
    drilled.push(
      ...arrivals
        .slice(seen)
        .map((arrival) => ({ ...arrival, what: JSON.stringify(callback), genuine, now }))
    )
  }
  await mock.call('POST', '/__admin/keys/rotate')
  const keys = await keysOf(mock)
  return [...drilled.map((one) => ({ ...one, keys })), ...forgeries(arrivals[0], keys, now)]
}

async function deposit (mock: Client, scenario: object): Promise<void> {
  await mock.call('POST', '/__admin/scenarios', scenario)
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!(), { 'x-momock-scenario': 'drill' })
}

/** Changes of a callback; `base` is a genuine one. */
function forgeries (base: Arrival, keys: Key[], now: number): Case[] {
  const input = text(base.headers['signature-input'])
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const anything = sign('sha256', Buffer.from('anything'), privateKey)
  const rows: Array<[what: string, change: Partial<Case>, genuine?: true]> = [
    ['as it came, with a new key listed first', {}, true],
    ['at its last moment', { now: Number(/expires=(\d+)/.exec(input)?.[1]) }, true],
    ['later', { now: Number(/expires=(\d+)/.exec(input)?.[1]) + 1 }],
    ['with a byte more', { body: Buffer.concat([base.body, Buffer.from(' ')]) }],
    ['with another method', { method: 'PUT' }],
    ['with another path', { url: '/other' }],
    ['with another query, which is not covered', { url: '/hooks?shop=2' }, true],
    ['with another host', withHeaders(base, { host: '127.0.0.1:1' })],
    ['without the key', { keys: keys.slice(0, 1) }],
    ['without any key', { keys: [] }],
    ['with a key that is none', { keys: keys.map(({ id }) => ({ id, key: keys[0].key })) }],
    [
      'signed by somebody else',
      withHeaders(base, {
        signature: `sig-pp=:${anything.toString('base64')}:`
      })
    ],
    ['with a value that is no signature', withHeaders(base, { signature: 'sig-pp=:AAAA:' })],
    ['with a value that is no base64', withHeaders(base, { signature: 'sig-pp=:%%%:' })],
    [
      'with a value of another label',
      withHeaders(base, { signature: text(base.headers.signature).replace('sig-pp', 'other') })
    ],
    ['with nonsense for a value', withHeaders(base, { signature: 'nonsense' })],
    ['with nonsense for its input', withHeaders(base, { 'signature-input': 'nonsense' })],
    [
      'with an input that covers nothing',
      withHeaders(base, { 'signature-input': input.replace(/\([^)]*\)/, '()') })
    ],
    [
      'with an input that does not cover the body',
      withHeaders(base, { 'signature-input': input.replace(' "content-digest"', '') })
    ],
    [
      'with a longer life',
      withHeaders(base, { 'signature-input': input.replace(/expires=\d+/, 'expires=4102444800') })
    ],
    [
      'with an endless life',
      withHeaders(base, { 'signature-input': input.replace(/;expires=\d+/, '') })
    ],
    [
      'of an unknown key',
      withHeaders(base, { 'signature-input': input.replace(/keyid="[^"]*"/, 'keyid="MINE"') })
    ],
    ['with another digest', withHeaders(base, { 'content-digest': 'sha-512=:AAAA:' })],
    ['without any header', { headers: {} }]
  ]
  return rows.map(([what, change, genuine = false]) => ({
    ...base,
    keys,
    now,
    ...change,
    what,
    genuine
  }))
}

function withHeaders (
  { headers }: Arrival,
  changed: Record<string, string>
): Pick<Arrival, 'headers'> {
  return { headers: { ...headers, ...changed } }
}

t.test('the samples of docs/signatures.md accept only genuine callbacks', async (t) => {
  const cases = await casesOf(t)
  for (const language of languages) {
    const program = await programOf(language)
    const missing =
      program === undefined && !(language.required && process.env.SAMPLE_TESTS === 'required')
    if (missing) {
      console.error(
        `\n*** SAMPLE NOT RUN: there is no ${language.name} here with what examples/verify ` +
          'needs. ***\n'
      )
    }
    t.test(
      language.name,
      missing
        ? {
            skip: `there is no ${language.name} here with what the sample needs, so it was not run`
          }
        : {},
      async (t) => {
        const said = await language.run(t, program ?? language.try[0][0], cases)
        for (const [index, { what, genuine }] of cases.entries()) {
          t.equal(said[index], genuine, what)
        }
      }
    )
  }
})
