import type { OtherServer } from '../domain/server-list.ts'
import type { ChangeLog, KeptChange } from '../services/change-log.ts'
import type { Peers } from './peers.ts'

/** Changes for servers that did not answer. They get them as soon as they answer again. */
export class MissedChanges {
  readonly #peers: Peers
  readonly #changes: ChangeLog
  /** Numbers of the servers that have missed something. */
  readonly #servers = new Set<number>()
  #isSending = false

  constructor (peers: Peers, changes: ChangeLog) {
    this.#peers = peers
    this.#changes = changes
    peers.addPart({
      refresh: async () => {
        // Nobody waits for servers that still do not answer.
        this.#send().catch(() => {})
      }
    })
  }

  /** Notes the servers that have missed a change. */
  note (silent: readonly OtherServer[]): void {
    for (const { number } of silent) this.#servers.add(number)
  }

  async #send (): Promise<void> {
    if (this.#servers.size === 0 || this.#isSending) return
    this.#isSending = true
    const others = await this.#peers.list()
    for (const number of [...this.#servers]) {
      // First: it may miss another change meanwhile.
      this.#servers.delete(number)
      const server = others.find((other) => other.number === number)
      // A server that is not in the list asks for the changes when it joins.
      if (server === undefined) continue
      const changes = this.#changes.list()
      const answer = await this.#peers.ask(server, 'makeChanges', { changes })
      if (answer === undefined) this.#servers.add(number)
    }
    this.#isSending = false
  }
}

/** Reads the changes that the other servers know. */
export async function readChanges (peers: Peers): Promise<KeptChange[]> {
  const answers = await peers.askAll<KeptChange[]>('listChanges', {})
  return answers.flatMap(({ value }) => value)
}
