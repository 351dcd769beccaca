import type { OtherServer } from '../domain/server-list.ts'
import type { Peers } from './peers.ts'

/** What is done with a feed. */
export interface FeedListener {
  /** Called with each line, which is JSON. */
  receive: (line: string) => void
  /** Called when a server begins to send. Its lines come when that is done. */
  begin: (server: OtherServer) => Promise<void>
}

/** Feed of all other servers. It is followed while somebody needs it. */
export class PeerFeed {
  readonly #peers: Peers
  readonly #name: string
  readonly #listener: FeedListener
  readonly #followed = new Map<number, Promise<void>>()
  #end: AbortController | undefined

  constructor (peers: Peers, name: string, listener: FeedListener) {
    this.#peers = peers
    this.#name = name
    this.#listener = listener
    peers.addPart(this)
  }

  /** Begins to follow. Resolves when all servers that answer send what happens. */
  async open (): Promise<void> {
    this.#end ??= new AbortController()
    await this.refresh()
  }

  close (): void {
    this.#end?.abort()
    this.#end = undefined
    this.#followed.clear()
  }

  /** Follows the servers that are new, while somebody needs the feed. */
  async refresh (): Promise<void> {
    if (this.#end === undefined) return
    const others = await this.#peers.list()
    await Promise.all(others.map((server) => this.#follow(server)))
  }

  #follow (server: OtherServer): Promise<void> {
    const known = this.#followed.get(server.number)
    if (known !== undefined || this.#end === undefined) return known ?? Promise.resolve()
    const { signal } = this.#end
    const forget = (): void => {
      if (!signal.aborted) this.#followed.delete(server.number)
    }
    // After a failure it is tried again with the next refresh.
    const begun = this.#begin(server, signal).then(({ ended }) => {
      ended.finally(forget)
    }, forget)
    this.#followed.set(server.number, begun)
    return begun
  }

  /** Begins to follow a server. The result has a promise of the end. */
  async #begin (server: OtherServer, signal: AbortSignal): Promise<{ ended: Promise<void> }> {
    let early: string[] | undefined = []
    const { receive, begin } = this.#listener
    const take = (line: string): void => {
      if (early === undefined) receive(line)
      else early.push(line)
    }
    const { ended } = await this.#peers.follow(server, this.#name, take, signal)
    await begin(server)
    for (const line of early) receive(line)
    early = undefined
    return { ended }
  }
}
