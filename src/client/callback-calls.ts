import { AdminConnection } from './admin-connection.ts'
import type {
  CallbackFilter,
  CallbackToSend,
  CallbackToSign,
  Kind,
  PastedRequest,
  SinkAnswers
} from './requests.ts'
import type {
  Callback,
  Payment,
  PublishedKeys,
  SignatureExplanation,
  SignedCallback,
  Sink,
  SinkOrders
} from './responses.ts'

/** Calls of the admin API about callbacks: attempts, sinks, signatures and keys. */
export class CallbackCalls extends AdminConnection {
  /** Lists the callbacks of the account with every attempt, oldest first by default. */
  callbacks (filter: CallbackFilter = {}): Promise<Callback[]> {
    return this.listAll('/callbacks', 'callbacks', { ...filter })
  }

  /** Sends a callback again, with a new signature. On a frozen clock it waits for an advance. */
  resendCallback (id: number): Promise<Callback> {
    return this.call('POST', `/callbacks/${id}/resend`)
  }

  /**
   * Sends a callback about a payment now: correct, stale, duplicated, about an earlier status, or
   * forged: `{ status: 'COMPLETED', wrongKey: true }`. The payment does not change. On a frozen
   * clock the callback waits for an advance.
   */
  sendCallback (kind: Kind, id: string, callback: CallbackToSend = {}): Promise<Payment> {
    return this.call('POST', `/payments/${kind}/${id}/callbacks`, callback)
  }

  /** Shows the callbacks that a sink received. */
  sink (name: string): Promise<Sink> {
    return this.call('GET', `/sink/${name}`)
  }

  /** Sets the answers of a sink to the next callbacks, such as `[500, 200]`. */
  orderSink (name: string, orders: SinkAnswers): Promise<SinkOrders> {
    return this.call('PUT', `/sink/${name}`, orders)
  }

  /** Deletes the callbacks and the answers of a sink. */
  emptySink (name: string): Promise<void> {
    return this.call('DELETE', `/sink/${name}`)
  }

  /** Explains the signature of a request: the signature base and everything that is wrong. */
  explainSignature (request: PastedRequest): Promise<SignatureExplanation> {
    return this.call('POST', '/signatures/explain', request)
  }

  /** Signs a callback of your own, as the server would. Nothing is sent. */
  signCallback (callback: CallbackToSign): Promise<SignedCallback> {
    return this.call('POST', '/signatures/sign', callback)
  }

  /** Signs with a new key from now on, for all accounts. */
  rotateKeys (): Promise<PublishedKeys> {
    return this.call('POST', '/keys/rotate')
  }
}
