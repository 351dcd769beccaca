import { setTimeout as sleep } from 'node:timers/promises'
import { TargetProblem } from './check.ts'
import type { ExamConfig } from './config.ts'
import { idsIn, type Earlier, type Evidence, type Exchange } from './evidence.ts'
import { connect } from './http.ts'
import { callbackAddresses, MomockClient, type CreateMock, type Momock } from './mock.ts'
import type { MerchantProcess } from './process.ts'
import type { Settings } from './settings.ts'
import type { Values } from './template.ts'
import { findWrongToken } from './wrong-token.ts'

/** Workplace of an exam: a mock, and an application that is configured with it. */

export const usualPort = 7171
export const usualToken = 'exam-token'
const keptRequests = 20_000
/** Time for a crashed application to restart by itself. */
const comebackMs = 3000
/** So many callbacks without an answer, and none with one, end an exam. */
const enoughUnanswered = 2

/** Opens the mock of a workplace: its own, or the one that the configuration names. */
export async function openMock (
  { mock = {}, callback }: ExamConfig,
  createMock: CreateMock,
  seed: string,
  port = mock.port ?? usualPort
): Promise<Momock | MomockClient> {
  const { token = usualToken, url, adminToken, host = '127.0.0.1' } = mock
  if (url !== undefined) return await connectMock(new MomockClient(url, token, { adminToken }))
  return await createMock({
    port,
    host,
    token,
    seed,
    callbackUrl: callback,
    journal: keptRequests
  }).catch((error: Error) => {
    throw new TargetProblem(
      `the mock of the exam cannot listen on port ${port}: ${error.message}. Choose another ` +
        'with mock.port in the configuration, and configure the application with it',
      true
    )
  })
}

async function connectMock (client: MomockClient): Promise<MomockClient> {
  try {
    const { name } = await client.account()
    if (typeof name !== 'string') throw new Error('what answers there is not momock')
    return client
  } catch (error) {
    throw new TargetProblem(
      `the mock at ${client.url} cannot be steered as '${client.token}': ` +
        `${error instanceof Error ? error.message : String(error)}. mock.token names the ` +
        'account; one that begins with sandbox- opens an account of its own'
    )
  }
}

export class Workplace {
  readonly mock: MomockClient
  readonly settings: Settings
  readonly values: Values
  /** What is known from the checks that were run. */
  readonly earlier: Earlier = { ids: new Set(), hasAskedForKeys: false }
  readonly #merchant: MerchantProcess | undefined
  /** Callbacks that got no answer, and whether any got one. */
  readonly #unanswered: Exchange[] = []
  #isAnswered = false
  #wrongToken: TargetProblem | undefined

  constructor (mock: MomockClient, settings: Settings, values: Values, merchant?: MerchantProcess) {
    this.mock = mock
    this.settings = settings
    this.values = values
    this.#merchant = merchant
  }

  /** Resets the account, and restarts the application if configured. */
  async prepare (): Promise<void> {
    const {
      config: { callback, start }
    } = this.settings
    await this.mock.reset({ forget: ['coverage'] })
    await this.mock.configure({
      callbacks: callback,
      callbackSource: callbackAddresses[0]
    })
    if (start?.restart === true) await this.#merchant?.restart()
  }

  /** Why the exam cannot go on, once a request was refused because of its token. */
  get wrongToken (): TargetProblem | undefined {
    return this.#wrongToken
  }

  /** Notes the payments of a check, its refused requests, and whether callbacks were answered. */
  remember ({ journal, exchanges, hasAskedForKeys }: Evidence): void {
    // A mock of others has requests of others: they are looked at before the first check only.
    if (this.settings.config.mock?.url === undefined) {
      this.#wrongToken ??= findWrongToken(journal, this.mock.token)
    }
    this.earlier.hasAskedForKeys ||= hasAskedForKeys
    for (const id of journal.flatMap(idsIn)) this.earlier.ids.add(id)
    for (const exchange of exchanges) {
      if (exchange.status === undefined) this.#unanswered.push(exchange)
      else this.#isAnswered = true
    }
  }

  /** Sees to it that the application answers before the next check; why it does not, if so. */
  async recover (): Promise<TargetProblem | undefined> {
    const {
      config: { callback }
    } = this.settings
    if (this.#wrongToken !== undefined) return this.#wrongToken
    if (!this.#isAnswered && this.#unanswered.length >= enoughUnanswered) {
      const [{ error }] = this.#unanswered
      return new TargetProblem(
        `${callback} takes connections and answers none of ${this.#unanswered.length} callbacks: ` +
          `${error}`
      )
    }
    for (let waited = 0; ; waited += 200) {
      const problem = await reach(callback)
      if (problem === undefined) return undefined
      if (this.#merchant !== undefined) {
        try {
          await this.#merchant.restart()
          return undefined
        } catch (error) {
          return error instanceof TargetProblem ? error : new TargetProblem(String(error))
        }
      }
      if (waited >= comebackMs) return problem
      await sleep(200)
    }
  }

  async close (): Promise<void> {
    await this.#merchant?.stop()
    if ('close' in this.mock && typeof this.mock.close === 'function') await this.mock.close()
  }
}

/** Returns the reason why a URL cannot be connected, or undefined. */
export async function reach (url: string, timeoutMs = 5000): Promise<TargetProblem | undefined> {
  try {
    const socket = await connect(url, timeoutMs)
    socket.destroy()
    return undefined
  } catch (error) {
    return new TargetProblem(
      `${url} cannot be reached: ${error instanceof Error ? error.message : String(error)}`
    )
  }
}
