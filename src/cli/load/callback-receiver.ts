import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { stopwatch, systemClock } from '../../lib/clock.ts'
import { isLoopback } from '../../lib/hosts.ts'
import { explainSignature } from '../../security/explanation.ts'
import { verifyingKeys, type PublishedKey } from '../../security/keys.ts'
import type { Lives } from './lives.ts'

/** Of so many callbacks, the signature of one is verified: a verification takes 0.2 ms. */
const callbacksPerSample = 50
const mostSamples = 1000
const loopback = '127.0.0.1'
const anyAddress = '0.0.0.0'
const paymentId = /"(?:deposit|payout|refund)Id":"([^"]+)"/

interface Sample {
  message: Pick<IncomingMessage, 'method' | 'url' | 'headers'>
  body: Buffer
  receivedAt: number
}

/** Result of the verification of some signatures. */
export interface SignatureCheck {
  verified: number
  invalid: number
  /** Problem of the first invalid one. */
  problem?: string
}

/** Receiver of the callbacks of a run. It answers all of them with 200. */
export class CallbackReceiver {
  readonly #server: Server
  readonly #lives: Lives
  readonly #samples: Sample[] = []
  #callbacks = 0

  constructor (lives: Lives) {
    this.#lives = lives
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        response.end()
        this.#receive(request, parts.length === 1 ? parts[0] : Buffer.concat(parts))
      })
    })
  }

  /** Listens on a free port. Returns the URL of this receiver for a mock that knows the host. */
  async listen (host: string): Promise<string> {
    const address = isLoopback(host) ? loopback : anyAddress
    await once(this.#server.listen(0, address), 'listening')
    return `http://${host}:${(this.#server.address() as AddressInfo).port}/callbacks`
  }

  close (): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** Verifies the signatures of the kept callbacks. */
  verifySample (published: readonly PublishedKey[]): SignatureCheck {
    const keys = verifyingKeys(published)
    const problems = this.#samples.flatMap(({ message, body, receivedAt }) => {
      const { method, url: target, headers } = message
      const { valid, problems } = explainSignature(
        { method, scheme: 'http', authority: headers.host, target, headers },
        body,
        { keys, now: receivedAt, encoding: 'both' }
      )
      return valid ? [] : [problems.join('; ')]
    })
    return {
      verified: this.#samples.length - problems.length,
      invalid: problems.length,
      ...(problems.length > 0 && { problem: problems[0] })
    }
  }

  #receive ({ method, url, headers }: IncomingMessage, body: Buffer): void {
    const id = paymentId.exec(body.toString())?.[1] ?? ''
    this.#lives.hear(id, stopwatch())
    const isSample = this.#callbacks++ % callbacksPerSample === 0
    if (isSample && this.#samples.length < mostSamples) {
      const message = { method, url, headers }
      this.#samples.push({ message, body, receivedAt: systemClock.now() })
    }
  }
}
