import type { OtherServer } from '../domain/server-list.ts'
import type { MemoryCalls } from '../services/server-memory.ts'
import type { Peers } from './peers.ts'

/** Calls that take an answer to the next request. */
const takes = ['takeSinkAnswer', 'takeStatusCheck']

/**
 * Hand-over of the ordered answers that a server has when it stops. Until it has left, it forwards
 * requests for them to the server that has got them.
 */
export class HandOver {
  readonly #peers: Peers
  #receiver: Promise<OtherServer | undefined> | undefined

  constructor (peers: Peers) {
    this.#peers = peers
  }

  /** Gives the answers to the first server that takes them. */
  async run (calls: MemoryCalls | undefined): Promise<void> {
    this.#receiver = this.#give(calls)
    await this.#receiver
  }

  async #give (calls: MemoryCalls | undefined): Promise<OtherServer | undefined> {
    const orders = calls?.takeAnswers({})
    const isEmpty = Object.values(orders ?? {}).every(({ length }) => length === 0)
    if (orders === undefined || isEmpty) return undefined
    for (const server of await this.#peers.list()) {
      const answer = await this.#peers.ask(server, 'addAnswers', { orders })
      if (answer !== undefined) return server
    }
    return undefined
  }

  /** Answers a call, or forwards it to the server that has the answers now. */
  answer (name: string, input: string, answerHere: () => unknown): unknown {
    if (this.#receiver === undefined) return answerHere()
    if (name === 'addAnswers') throw new Error('the server stops')
    return takes.includes(name) ? this.#forward(this.#receiver, name, input) : answerHere()
  }

  async #forward (
    receiver: Promise<OtherServer | undefined>,
    name: string,
    input: string
  ): Promise<unknown> {
    const server = await receiver
    return server && (await this.#peers.ask(server, name, JSON.parse(input)))?.value
  }
}
