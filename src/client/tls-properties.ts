/** Options of the global `fetch`; unknown where its types are not installed. */
type FetchOptions = typeof globalThis extends {
  fetch: (input: never, options?: infer Options) => unknown
}
  ? NonNullable<Options>
  : unknown

/** Dispatcher of `fetch`. It is not named by undici's types, because these need those of Node. */
type FetchDispatcher = FetchOptions extends { dispatcher?: infer Dispatcher }
  ? NonNullable<Dispatcher>
  : unknown

/** Access to the TLS listener of a mock in this process. */
export interface TlsAccess {
  /** URL of the TLS listener, such as https://127.0.0.1:40124. */
  tlsUrl: string
  /** Certificate that clients must trust, as PEM. */
  ca: string
  /**
   * Dispatcher for undici and `fetch`. It sends requests for the hosts of the service to the mock,
   * verifies its certificate, and sends all others where they belong.
   */
  dispatcher: FetchDispatcher
  /**
   * Sends the requests of this process for the hosts of the service to the mock: of the global
   * `fetch`, and of `node:https`. `close()` ends it.
   */
  intercept: () => void
}
