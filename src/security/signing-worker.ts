import { sign } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import type { SigningMethod } from './algorithms.ts'

/** Thread that signs texts. `SigningThread` starts it and sends the texts. */

/** Texts that are signed in the same way. */
export interface SigningOrder extends SigningMethod {
  texts: string[]
}

/** Signatures of the texts of an order, as base64. */
export type Signatures = string[]

parentPort?.on('message', ({ hash, key, texts }: SigningOrder) => {
  const signatures: Signatures = texts.map((text) =>
    sign(hash, Buffer.from(text, 'latin1'), key).toString('base64')
  )
  parentPort?.postMessage(signatures)
})
