import { randomUUID } from 'node:crypto'
import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { accepted, document, found } from './stubs.ts'

/** Other mock servers: how each is started, with stubs of the two requests. */

/** How a peer is started. */
export interface PeerStart {
  /** Program; without it, Node. */
  program?: string
  args: string[]
  /** Adds the stubs to the running server. */
  addStubs?: () => Promise<void>
}

/** Row of a peer. */
export interface Peer {
  name: string
  package: string
  /** What it does with a request beyond answering, with its default settings. */
  does: string
  needsJava?: boolean
  /**
   * Writes its files to the folder. `home` has the installed packages; `second` is another free
   * port. Throws an error if the package does not contain what it should.
   */
  prepare: (home: string, folder: string, port: number, second: number) => PeerStart
}

const json = { 'content-type': 'application/json' }
/** Without this header Mountebank closes each connection after its answer. */
const keptAlive = { ...json, connection: 'keep-alive' }

async function send (method: string, url: string, body: object): Promise<void> {
  const response = await fetch(url, { method, headers: json, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${await response.text()}`)
}

/** Finds the one file of a package that matches. */
function findFile (home: string, pattern: string): string {
  const [file] = globSync(pattern, { cwd: join(home, 'node_modules') })
  if (file === undefined) throw new Error(`the package does not contain ${pattern}`)
  return join(home, 'node_modules', file)
}

/** Finds the program of a package, as npm would link it. */
function findProgram (home: string, name: string, command: string): string {
  const folder = join(home, 'node_modules', name)
  const { bin } = createRequire(import.meta.url)(join(folder, 'package.json')) as {
    bin: Record<string, string>
  }
  return join(folder, bin[command])
}

function writeDocument (folder: string): string {
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  return file
}

/** Writes the file of Mockoon. What is absent gets its default with --repair. */
function writeEnvironment (folder: string): string {
  const file = join(folder, 'environment.json')
  const route = (method: string, endpoint: string, body: object): object => ({
    uuid: randomUUID(),
    type: 'http',
    method,
    endpoint,
    responses: [
      {
        uuid: randomUUID(),
        body: JSON.stringify(body),
        statusCode: 200,
        headers: [{ key: 'Content-Type', value: 'application/json' }],
        default: true
      }
    ]
  })
  const routes = [
    route('post', 'v2/deposits', accepted),
    route('get', 'v2/deposits/:depositId', found)
  ]
  writeFileSync(file, JSON.stringify({ uuid: randomUUID(), name: 'deposits', routes }))
  return file
}

/** All peers, in the order of the report. */
export const peers: readonly Peer[] = [
  {
    name: 'Mountebank',
    package: 'mountebank@2',
    does: 'matches predicates',
    prepare: (home, folder, port, second) => ({
      args: [
        findProgram(home, 'mountebank', 'mb'),
        ...['start', '--port', String(second), '--nologfile', '--loglevel', 'error'],
        ...['--pidfile', join(folder, 'mb.pid')]
      ],
      addStubs: () =>
        send('POST', `http://127.0.0.1:${second}/imposters`, {
          port,
          protocol: 'http',
          stubs: [
            {
              predicates: [{ equals: { method: 'POST', path: '/v2/deposits' } }],
              responses: [{ is: { statusCode: 200, headers: keptAlive, body: accepted } }]
            },
            {
              predicates: [{ startsWith: { path: '/v2/deposits/' } }],
              responses: [{ is: { statusCode: 200, headers: keptAlive, body: found } }]
            }
          ]
        })
    })
  },
  {
    name: 'Prism',
    package: '@stoplight/prism-cli@5',
    does: 'checks requests with the OpenAPI document',
    prepare: (home, folder, port) => ({
      args: [
        findProgram(home, '@stoplight/prism-cli', 'prism'),
        ...['mock', writeDocument(folder), '-p', String(port), '-v', 'error']
      ]
    })
  },
  {
    name: 'WireMock',
    package: 'wiremock@3',
    does: 'keeps a request journal in memory',
    needsJava: true,
    prepare: (home, folder, port) => {
      const mappings = join(folder, 'mappings')
      mkdirSync(mappings)
      const write = (name: string, request: object, jsonBody: object): void =>
        writeFileSync(
          join(mappings, `${name}.json`),
          JSON.stringify({ request, response: { status: 200, headers: json, jsonBody } })
        )
      write('post', { method: 'POST', urlPath: '/v2/deposits' }, accepted)
      write('get', { method: 'GET', urlPathPattern: '/v2/deposits/.+' }, found)
      const jar = findFile(home, 'wiremock/build/wiremock-standalone-*.jar')
      return {
        program: 'java',
        args: ['-jar', jar, '--port', String(port), '--root-dir', folder, '--disable-banner']
      }
    }
  },
  {
    name: 'MockServer',
    package: 'mockserver-node@8',
    does: 'keeps a log of requests in memory',
    needsJava: true,
    prepare: (home, folder, port) => {
      const file = join(folder, 'expectations.json')
      const answer = (httpRequest: object, body: object): object => ({
        httpRequest,
        httpResponse: { statusCode: 200, headers: json, body: JSON.stringify(body) },
        times: { unlimited: true }
      })
      writeFileSync(
        file,
        JSON.stringify([
          answer({ method: 'POST', path: '/v2/deposits' }, accepted),
          answer({ method: 'GET', path: '/v2/deposits/.+' }, found)
        ])
      )
      const jar = findFile(home, 'mockserver-node/mockserver-netty-*.jar')
      return {
        program: 'java',
        args: [
          `-Dmockserver.initializationJsonPath=${file}`,
          '-Dmockserver.logLevel=ERROR',
          ...['-jar', jar, '-serverPort', String(port)]
        ]
      }
    }
  },
  {
    name: 'Mockoon',
    package: '@mockoon/cli@9',
    does: 'keeps a log of requests in memory',
    prepare: (home, folder, port) => ({
      args: [
        findProgram(home, '@mockoon/cli', 'mockoon-cli'),
        ...['start', '--data', writeEnvironment(folder), '--port', String(port)],
        ...['--hostname', '127.0.0.1', '--repair', '--disable-log-to-file']
      ]
    })
  }
]
