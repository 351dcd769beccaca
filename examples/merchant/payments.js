/**
 * The few calls of the payments API that a shop needs.
 * @typedef {{ depositId?: string, refundId?: string, status: string, amount?: string, currency?:
 * string, failureReason?: { failureCode?: string, failureMessage?: string } }} Outcome
 */

const timeoutMs = 10_000

/**
 * An answer that is not the one we need, or none at all: then nobody knows yet what became of the
 * payment.
 */
export class NoAnswer extends Error {}

export class Payments {
  #base
  #token

  /**
   * @param {string} baseUrl
   * @param {string} token
   */
  constructor (baseUrl, token) {
    this.#base = baseUrl.replace(/\/+$/, '')
    this.#token = token
  }

  /**
   * @param {string} depositId
   * @param {{ amount: string, currency: string, phoneNumber: string, provider: string }} order
   * @returns {Promise<Outcome>}
   */
  deposit (depositId, { amount, currency, phoneNumber, provider }) {
    return this.#call('POST', '/v2/deposits', {
      depositId,
      amount,
      currency,
      payer: { type: 'MMO', accountDetails: { phoneNumber, provider } }
    })
  }

  /**
   * @param {string} refundId
   * @param {string} depositId
   * @param {{ amount: string, currency: string }} order
   * @returns {Promise<Outcome>}
   */
  refund (refundId, depositId, { amount, currency }) {
    return this.#call('POST', '/v2/refunds', { refundId, depositId, amount, currency })
  }

  /**
   * Status of a payment.
   * @param {'deposits' | 'refunds'} kind
   * @param {string} id
   * @returns {Promise<{ status: string, data: Outcome }>}
   */
  find (kind, id) {
    return this.#call('GET', `/v2/${kind}/${id}`)
  }

  /**
   * Predicts the provider of a phone number. Returns the number in the format of the API.
   * @param {string} phoneNumber
   * @returns {Promise<{ phoneNumber: string, provider?: string }>}
   */
  predictProvider (phoneNumber) {
    return this.#call('POST', '/v2/predict-provider', { phoneNumber })
  }

  /** @returns {Promise<Array<{ id: string, key: string }>>} */
  publicKeys () {
    return this.#call('GET', '/v2/public-key/http')
  }

  /**
   * @template T
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @returns {Promise<T>}
   */
  async #call (method, path, body) {
    try {
      const response = await fetch(this.#base + path, {
        method,
        headers: {
          authorization: `Bearer ${this.#token}`,
          ...(body !== undefined && { 'content-type': 'application/json' })
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs)
      })
      if (response.status >= 500 || response.status === 429) {
        throw new NoAnswer(`${method} ${path}: ${response.status}`)
      }
      return /** @type {T} */ (await response.json())
    } catch (error) {
      throw error instanceof NoAnswer
        ? error
        : new NoAnswer(`${method} ${path}: ${error instanceof Error ? error.message : error}`)
    }
  }
}
