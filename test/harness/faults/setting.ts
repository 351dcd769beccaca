import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openReceiver, type Receiver } from '../../support/receiver.ts'
import { bodyOf, type Kind } from '../../support/bodies.ts'
import {
  startServer,
  until,
  type Running,
  type StartOptions
} from '../../support/server-process.ts'

/** A server with a ledger in a folder and a receiver of callbacks, for one fault. */
export class Setting {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'momock-faults-')))
  readonly ledgerFolder = join(this.folder, 'ledger')
  readonly problems: string[] = []
  readonly receiver: Receiver
  #server: Running | undefined

  constructor (receiver: Receiver) {
    this.receiver = receiver
    mkdirSync(this.ledgerFolder)
  }

  async start (options: Omit<StartOptions, 'db'> = {}): Promise<Running> {
    const { args = [], ...rest } = options
    const timeout = ['--callback-timeout', '1s']
    this.#server = await startServer({
      db: join(this.ledgerFolder, 'ledger.db'),
      args: ['--callback-url', this.receiver.url, ...timeout, '--journal', '0', ...args],
      ...rest
    })
    return this.#server
  }

  get server (): Running {
    if (this.#server === undefined) throw new Error('the server was not started')
    return this.#server
  }

  async close (): Promise<void> {
    await this.#server?.stop('SIGKILL')
    await this.receiver.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** A deposit or payout; its identifier and how it was answered, if it was. */
  async initiate (kind: Kind = 'deposit', token = 'test-token'): Promise<Initiated> {
    const id = randomUUID()
    try {
      const { status, body } = await this.server.call<{ status: string }>(
        'POST',
        `/v2/${kind}s`,
        bodyOf(kind, 'v2', { id }),
        { token }
      )
      return { id, status, outcome: body.status }
    } catch {
      return { id, status: 0, outcome: 'no answer' }
    }
  }

  async initiateMany (count: number): Promise<Initiated[]> {
    return await Promise.all(Array.from({ length: count }, () => this.initiate()))
  }

  async isHealthy (): Promise<boolean> {
    try {
      return (await this.server.call('GET', '/health')).status === 200
    } catch {
      return false
    }
  }

  /** Notes a problem if something does not come true in time. */
  async expect (
    what: string,
    isTrue: () => Promise<boolean> | boolean,
    ms = 15_000
  ): Promise<void> {
    // After a first problem, what follows from it is not waited for as long.
    const limitMs = this.problems.length === 0 ? ms : Math.min(ms, 2000)
    try {
      await until(isTrue, (yes) => yes, limitMs)
    } catch (error) {
      this.problems.push(`${what}: not within ${limitMs} ms (${String(error).slice(0, 200)})`)
    }
  }

  /** Deposits that were accepted end, and the receiver is told of each. */
  async expectTold (
    accepted: readonly Initiated[],
    { ms = 20_000, when = 'afterwards' } = {}
  ): Promise<void> {
    const isTold = (id: string): boolean => {
      return this.receiver.arrivals.some(({ text }) => {
        return text.includes(id) && text.includes('COMPLETED')
      })
    }
    await this.expect(
      `every payment accepted ${when} is called back`,
      () => {
        return accepted.every(({ id }) => isTold(id))
      },
      ms
    )
    await this.expect(
      `every callback of those accepted ${when} is recorded`,
      async () => {
        const callbacks = await this.server.as('test-token').callbacks()
        const of = (id: string) => callbacks.filter(({ paymentId }) => paymentId === id)
        return accepted.every(({ id }) => of(id).some(({ state }) => state === 'ACKNOWLEDGED'))
      },
      ms
    )
  }

  async expectInvariants (): Promise<void> {
    const { hold, invariants } = await this.server.as('test-token').invariants()
    if (!hold) {
      const broken = invariants.filter(({ broken }) => broken > 0)
      this.problems.push(`invariants are broken: ${JSON.stringify(broken)}`)
    }
  }
}

export interface Initiated {
  id: string
  /** Of HTTP; 0 where no answer came. */
  status: number
  outcome: string
}

export const isAccepted = ({ outcome }: Initiated): boolean => outcome === 'ACCEPTED'

export async function newSetting (): Promise<Setting> {
  return new Setting(await openReceiver())
}
