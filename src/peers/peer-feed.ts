import type { OtherServer } from '../domain/server-list.ts'
import type { Peers } from './peers.ts'

/** What is done with a feed. */
export interface FeedListener {
  /** Called with each line, which is JSON. */
  receive: (line: string) => void
  /** Called when a server begins to send. */
  begin?: () => void
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
    peers.addFeed(this)
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
    const { receive, begin = () => {} } = this.#listener
    const begun = this.#peers.follow(server, this.#name, receive, signal).then(
      ({ ended }) => {
        begin()
        ended.finally(forget)
      },
      // It is tried again with the next refresh.
      forget
    )
    this.#followed.set(server.number, begun)
    return begun
  }
}
