import type { MockEvent } from '../monitoring/mock-event.ts'
import { formatEvent, formatNote } from './event-lines.ts'

/** Time that a change of status waits for its callback, so that both share a line. */
const holdMs = 1000
/** Events of one second up to which each has its own line. */
const fullSpeed = 40
const windowMs = 1000

/** Parts that the printer needs. */
export interface EventPrinterParts {
  write: (text: string) => void
  colours: boolean
  /** Events of one account, or of all; without it, all. */
  accounts?: 'own' | 'all'
  /** Calls a function after a time. Returns a function that cancels it. */
  schedule: (work: () => void, ms: number) => () => void
}

type StatusEvent = MockEvent & { type: 'status' }

/** Calls a function after a time, without keeping the process alive. */
export function scheduleOnTimer (work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms).unref()
  return () => clearTimeout(timer)
}

/**
 * Prints events: one line each, and under load one line per second, so that printing does not slow
 * down the server.
 */
export class EventPrinter {
  readonly #parts: EventPrinterParts
  /** Changes of status that wait for their callback, by payment. */
  readonly #held = new Map<string, { event: StatusEvent; cancel: () => void }>()
  #counts = new Map<string, number>()
  #inWindow = 0
  #isBusy = false
  #endWindow: (() => void) | undefined
  #latest = ''

  constructor (parts: EventPrinterParts) {
    this.#parts = parts
  }

  /** Prints an event, or counts it. */
  print (event: MockEvent): void {
    this.#latest = event.time
    this.#inWindow++
    this.#endWindow ??= this.#parts.schedule(() => this.#closeWindow(), windowMs)
    if (event.type === 'callback' && event.attempt === 1 && this.#printHeld(event)) return
    if (this.#isBusy || this.#inWindow > fullSpeed) return this.#count(event)
    if (event.type === 'status' && event.callback !== undefined && event.callback.inMs < holdMs) {
      return this.#hold(event)
    }
    this.#write(this.#format(event))
  }

  /** Prints everything that waits. */
  flush (): void {
    for (const { event, cancel } of this.#held.values()) {
      cancel()
      this.#write(this.#format(event))
    }
    this.#held.clear()
    if (this.#endWindow !== undefined) {
      this.#endWindow()
      this.#closeWindow()
      this.#endWindow?.()
    }
  }

  #format (event: MockEvent, sent?: MockEvent & { type: 'callback' }): string {
    return formatEvent(event, this.#parts.colours, sent, this.#parts.accounts)
  }

  #hold (event: StatusEvent): void {
    const key = keyOf(event)
    this.#release(key)
    const cancel = this.#parts.schedule(() => this.#release(key), holdMs)
    this.#held.set(key, { event, cancel })
  }

  #release (key: string): void {
    const held = this.#held.get(key)
    if (held === undefined) return
    held.cancel()
    this.#held.delete(key)
    this.#write(this.#format(held.event))
  }

  /** Prints a change of status that waited for this callback. Returns false if none did. */
  #printHeld (callback: MockEvent & { type: 'callback' }): boolean {
    const key = keyOf(callback)
    const held = this.#held.get(key)
    if (held === undefined) return false
    held.cancel()
    this.#held.delete(key)
    this.#write(this.#format({ ...held.event, time: callback.time }, callback))
    return true
  }

  #count (event: MockEvent): void {
    const word = wordFor(event)
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1)
  }

  /** Prints the summary of a second. The next second is quiet again if this one had few events. */
  #closeWindow (): void {
    this.#endWindow = undefined
    this.#isBusy = this.#inWindow > fullSpeed
    this.#inWindow = 0
    // A second without events ends a burst, too.
    if (this.#isBusy) {
      this.#endWindow = this.#parts.schedule(() => this.#closeWindow(), windowMs)
    }
    if (this.#counts.size === 0) return
    const counts = [...this.#counts].sort(([one], [other]) => rank(one) - rank(other))
    this.#counts = new Map()
    const [first, ...rest] = counts.map(([word, count]) => formatCount(word, count))
    const note = formatNote(this.#latest, `${first} in 1 s`, rest.join(', '), this.#parts.colours)
    this.#write(note)
  }

  #write (line: string): void {
    this.#parts.write(`${line}\n`)
  }
}

function keyOf ({ account, kind, paymentId }: StatusEvent | (MockEvent & { type: 'callback' })) {
  return `${account} ${kind} ${paymentId ?? ''}`
}

/** Order of the words in a summary; kinds come first. */
const words = [
  'completed',
  'failed',
  'callback',
  'failed callback',
  'duplicate',
  'refusal',
  'other'
]

function rank (word: string): number {
  return words.indexOf(word)
}

/** Word under which an event is counted. */
function wordFor (event: MockEvent): string {
  switch (event.type) {
    case 'accepted':
      return event.kind
    case 'status':
      return event.status === 'COMPLETED'
        ? 'completed'
        : event.status === 'FAILED'
          ? 'failed'
          : 'other'
    case 'callback':
      return event.state === 'ACKNOWLEDGED' ? 'callback' : 'failed callback'
    case 'answer':
      return event.code === 'DUPLICATE_IGNORED' ? 'duplicate' : 'refusal'
  }
}

/** Words that are not nouns, or have a plural of their own. */
const plurals: Record<string, string> = {
  completed: 'completed',
  failed: 'failed',
  other: 'other changes'
}

function formatCount (word: string, count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? word : (plurals[word] ?? `${word}s`)}`
}
