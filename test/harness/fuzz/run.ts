import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { contract, type Contract } from '../../support/contract.ts'
import { seededRandom } from '../../support/random.ts'
import { startServer, type Running } from '../../support/server-process.ts'
import { hostileShots } from './hostile.ts'
import { operationsOf, ShotMaker, type Document, type Pool, type Shot } from './operations.ts'
import { isAlive, sendShot, type Reply } from './send.ts'
import { rawRequests, sendBytes } from './sockets.ts'

export interface FuzzOptions {
  /** How many requests to each operation. */
  requests: number
  seed: number
  report?: (line: string) => void
  /** The event loop may be busy for less than this without a break. */
  blockMs?: number
  /** Ends after so many findings. */
  mostFindings?: number
}

export interface FuzzResult {
  sent: number
  /** What was found, each sort once, with the request that showed it. */
  findings: string[]
}

const probe = fileURLToPath(new URL('loop-probe.js', import.meta.url))
/** A request that blocks the event loop must do so this often again. */
const repeats = 2
const socketsAtOnce = 10

/** Floods a server with good and bad requests and says what it should not have done. */
export async function runFuzz (options: FuzzOptions): Promise<FuzzResult> {
  const fuzz = new Fuzz(options)
  await fuzz.start()
  try {
    await fuzz.everyOperation(options.requests)
    await fuzz.hostile()
    await fuzz.sockets()
    return fuzz.result
  } finally {
    await fuzz.close()
  }
}

class Fuzz {
  readonly #folder = mkdtempSync(join(tmpdir(), 'momock-fuzz-'))
  readonly #seed: number
  readonly #blockMs: number
  readonly #mostFindings: number
  readonly #report: (line: string) => void
  readonly #pool: Pool = new Map()
  readonly #findings = new Map<string, string>()
  #sent = 0
  #starts = 0
  #heard = 0
  #server: Running | undefined
  #contract: Contract | undefined
  #document: Document = { paths: {} }

  constructor ({ seed, report = () => {}, blockMs = 50, mostFindings = 1000 }: FuzzOptions) {
    this.#mostFindings = mostFindings
    this.#blockMs = blockMs
    this.#seed = seed
    this.#report = report
  }

  get result (): FuzzResult {
    return { sent: this.#sent, findings: [...this.#findings.values()] }
  }

  /** Starts a server on a new ledger, and has it load what it loads when it is first asked. */
  async start (): Promise<void> {
    this.#server = await startServer({
      db: join(this.#folder, `ledger-${++this.#starts}.db`),
      args: ['--clock', 'frozen', '--log-level', 'error'],
      nodeArgs: ['--import', probe],
      env: { LOOP_LIMIT_MS: String(this.#blockMs) }
    })
    const { body } = await this.#server.call<Document>('GET', '/__admin/openapi.json')
    this.#document = body
    this.#contract ??= contract(body)
    const maker = new ShotMaker(body, seededRandom(1), this.#pool)
    for (const operation of operationsOf(body)) {
      for (let n = 0; n < 2; n++) await sendShot(this.#running, maker.make(operation, true))
    }
    this.#heard = this.#running.log().length
  }

  async close (): Promise<void> {
    await this.#server?.stop('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #running (): Running {
    if (this.#server === undefined) throw new Error('there is no server')
    return this.#server
  }

  async everyOperation (requests: number): Promise<void> {
    const maker = new ShotMaker(this.#document, seededRandom(this.#seed), this.#pool)
    const operations = operationsOf(this.#document)
    for (let n = 0; n < requests; n++) {
      for (const operation of operations) await this.#fire(maker.make(operation, n % 3 === 0))
    }
    this.#report(`${this.#sent} requests to ${operations.length} operations`)
  }

  async hostile (): Promise<void> {
    for (const shot of hostileShots()) await this.#fire(shot)
    this.#report(`${this.#sent} requests after the hostile ones`)
  }

  async sockets (): Promise<void> {
    for (let n = 0; n < rawRequests.length; n += socketsAtOnce) {
      const some = rawRequests.slice(n, n + socketsAtOnce)
      await Promise.all(
        some.map(async ([what, bytes]) => {
          const statuses = await sendBytes(this.#running.port, bytes)
          this.#sent++
          const bad = statuses.filter((status) => status >= 500)
          if (bad.length > 0) this.#find(`raw ${what}`, `raw ${what}: answered with ${bad.join()}`)
        })
      )
      await this.#look(`raw: one of ${some.map(([what]) => what).join(', ')}`)
    }
    this.#report(`${this.#sent} requests after the raw ones`)
  }

  /** Sends a request, and compares the answer with the document. */
  async #fire (shot: Shot): Promise<void> {
    if (this.#findings.size >= this.#mostFindings) return
    const reply = await sendShot(this.#running, shot)
    this.#sent++
    this.#remember(reply)
    const what =
      `${shot.operation}: ${shot.method} ${shot.path.slice(0, 150)} ` +
      `${JSON.stringify(shot.headers).slice(0, 200)} ${shot.body?.slice(0, 600) ?? ''}`
    if (reply.status >= 500 && !isOrdered(shot, reply)) {
      const answer = `${reply.status} ${reply.text.slice(0, 200)}`
      this.#find(`${shot.operation} ${reply.status}`, `${what}\n  answered with ${answer}`)
    } else if (reply.status > 0) this.#compare(shot, reply, what)
    await this.#look(what, shot)
  }

  #compare ({ operation, method, path }: Shot, reply: Reply, what: string): void {
    if (reply.contentType.startsWith('text/html') || reply.isStream) return
    let body: unknown
    try {
      const isJson = reply.contentType.startsWith('application/json')
      body = reply.text === '' ? undefined : isJson ? JSON.parse(reply.text) : reply.text
    } catch {
      return this.#find(`${operation} json`, `${what}\n  answered with broken JSON`)
    }
    const bare = path.split('?', 1)[0]
    const problem = this.#contract?.answer(method, bare, reply.status, reply.contentType, body)
    if (problem !== undefined) {
      this.#find(`${operation} ${reply.status} schema`, `${what}\n  ${problem.slice(0, 600)}`)
    }
  }

  /** Is it still there, and was its event loop free? */
  async #look (what: string, shot?: Shot): Promise<void> {
    if (!(await isAlive(this.#running))) {
      this.#find(`hang ${what.slice(0, 80)}`, `${what}\n  after it the server did not answer`)
      await this.#running.stop('SIGKILL')
      return await this.start()
    }
    const block = this.#newBlock()
    if (block === undefined) return
    if (shot === undefined || (await this.#blocksAgain(shot))) {
      this.#find(`block ${shot?.operation ?? what}`, `${what}\n  ${block}`)
    }
  }

  /** Rules out a collection of garbage, which may fall on any request. */
  async #blocksAgain (shot: Shot): Promise<boolean> {
    for (let n = 0; n < repeats; n++) {
      await sendShot(this.#running, shot)
      await isAlive(this.#running)
      if (this.#newBlock() === undefined) return false
    }
    return true
  }

  #newBlock (): string | undefined {
    const log = this.#running.log()
    const news = log.slice(this.#heard)
    this.#heard = log.length
    return news.split('\n').find((line) => line.startsWith('event loop busy'))
  }

  #find (sort: string, finding: string): void {
    if (!this.#findings.has(sort)) this.#report(finding)
    this.#findings.set(sort, this.#findings.get(sort) ?? finding)
  }

  /** Keeps what later requests can be about. */
  #remember ({ text }: Reply): void {
    const keep = (name: string, pattern: RegExp): void => {
      const found = [...text.slice(0, 20_000).matchAll(pattern)].map(([, value]) => value)
      const list = [...(this.#pool.get(name) ?? []), ...found]
      if (found.length > 0) this.#pool.set(name, list.slice(-20))
    }
    for (const name of idNames) keep(name, new RegExp(`"${name}":"([0-9a-f-]{36})"`, 'g'))
    keep('checkoutCode', /\/checkout\/(PPG\w+)/g)
    keep('token', /\/pay\/(\w+)/g)
    keep('code', /\/authorise\/(\w+)/g)
  }
}

const idNames = [
  'depositId',
  'payoutId',
  'refundId',
  'remittanceId',
  'splitPaymentId',
  'checkoutId',
  'statementId'
]

/** Tells whether an error was ordered: by a sink, a scenario or the status checks. */
function isOrdered ({ method, path }: Shot, { status, text }: Reply): boolean {
  if (/ (because PUT \/__admin\/status-checks ordered it|by scenario ')/.test(text)) return true
  // A stream may be one too many.
  if (path.includes('/events')) return status === 503
  return method === 'POST' && path.startsWith('/__admin/sink/')
}
