import type { KeyObject } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import {
  signingMethod,
  signText,
  type AlgorithmName,
  type Encoding,
  type SignText
} from './algorithms.ts'
import type { Signatures, SigningOrder } from './signing-worker.ts'

/** File of the thread: in the source, or beside the bundled file. */
const workerFile = import.meta.url.endsWith('.ts') ? './signing-worker.ts' : './signing-worker.js'

/** Number of signatures after which the thread is worth its start, which takes 50 ms. */
const worthAThread = 1000

/** Time for which texts are gathered: fewer changes between the threads save 5 % of a callback. */
const gatherMs = 2

/** Text that waits for its signature. */
interface Job {
  text: string
  resolve: (signature: string) => void
  reject: (error: unknown) => void
}

/** Texts that are gathered and signed in the same way. */
interface Batch {
  name: AlgorithmName
  key: KeyObject
  encoding: Encoding
  jobs: Job[]
}

/**
 * Signs texts on a thread of its own, those of a few milliseconds together. The thread pool gets
 * each text alone: a payment with a callback then takes more than a tenth more processor time. The
 * first signatures use the thread pool, and all do if the thread fails.
 */
export class SigningThread {
  readonly #fewSignatures: number
  #count = 0
  #worker: Worker | undefined
  /** Whether the thread signs. */
  isReady = false
  /** Batches that are gathered. */
  #batches: Batch[] = []
  /** Batches that the thread has, in its order. */
  #sent: Batch[] = []

  /** The thread starts with signature number `fewSignatures`. */
  constructor (fewSignatures = worthAThread) {
    this.#fewSignatures = fewSignatures
  }

  /** Returns a signature as base64. */
  readonly signText: SignText = (name, key, text, encoding) => {
    if (!this.isReady) {
      if (++this.#count === this.#fewSignatures) this.#start()
      return signText(name, key, text, encoding)
    }
    return new Promise((resolve, reject) => {
      this.#batchOf(name, key, encoding).jobs.push({ text, resolve, reject })
    })
  }

  /** Ends the thread. */
  async close (): Promise<void> {
    await this.#worker?.terminate()
  }

  #start (): void {
    this.#worker = new Worker(new URL(workerFile, import.meta.url))
      .on('online', () => (this.isReady = true))
      .on('message', (signatures: Signatures) => {
        this.#sent.shift()?.jobs.forEach(({ resolve }, i) => resolve(signatures[i]))
        if (this.#sent.length === 0) this.#worker?.unref()
      })
      // The exit follows. The thread pool gets what the thread did not sign.
      .on('error', () => {})
      .on('exit', () => this.#signOnPool())
    // The thread keeps the process alive only while somebody waits for a signature.
    this.#worker.unref()
  }

  #batchOf (name: AlgorithmName, key: KeyObject, encoding: Encoding): Batch {
    const known = this.#batches.find(
      (batch) => batch.key === key && batch.name === name && batch.encoding === encoding
    )
    if (known !== undefined) return known
    const batch = { name, key, encoding, jobs: [] }
    if (this.#batches.push(batch) === 1) setTimeout(() => this.#send(), gatherMs)
    return batch
  }

  #send (): void {
    const batches = this.#batches
    this.#batches = []
    for (const { name, key, encoding, jobs } of batches) {
      const texts = jobs.map(({ text }) => text)
      const order: SigningOrder = { ...signingMethod(name, key, encoding), texts }
      this.#worker?.postMessage(order)
    }
    this.#sent.push(...batches)
    this.#worker?.ref()
  }

  #signOnPool (): void {
    const batches = [...this.#sent, ...this.#batches]
    this.isReady = false
    this.#sent = []
    this.#batches = []
    for (const { name, key, encoding, jobs } of batches) {
      for (const { text, resolve, reject } of jobs) {
        signText(name, key, text, encoding).then(resolve, reject)
      }
    }
  }
}
