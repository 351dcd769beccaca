import { MomockClient } from './client/client.ts'
import type { ClientOptions } from './client/admin-connection.ts'
import { nodeProblem } from './lib/node-version.js'
import type { openTlsAccess } from './client/tls-access.ts'
import type { TlsAccess } from './client/tls-properties.ts'
import type { Config } from './config/config.ts'
import type { Server } from './server.ts'
import type { ExamRequest } from './exam/request-exam.ts'
import type { Report as ExamReport } from './reports/exam/report.ts'

/**
 * Exports of `import 'momock'`, for tests in JavaScript and TypeScript: a mock inside this process,
 * or a client for a mock elsewhere.
 */

export type * from './client/types.ts'
export type { TlsAccess } from './client/tls-properties.ts'
export type { Config } from './config/config.ts'
export type { ClientOptions } from './client/admin-connection.ts'
export { ExpectationFailed } from './client/errors.ts'
export { MomockClient, MomockError } from './client/client.ts'
export type { ExamRequest } from './exam/request-exam.ts'
export type { Result as ExamResult } from './reports/exam/report.ts'
export { customerTexts, type CustomerText } from './domain/customer-texts.ts'
export { ExamFailed } from './exam/exam-failed.ts'

declare global {
  // Older settings of `lib` do not have these; elsewhere they are the same.
  interface SymbolConstructor {
    readonly dispose: unique symbol
    readonly asyncDispose: unique symbol
  }
  interface Disposable {
    [Symbol.dispose](): void
  }
  interface AsyncDisposable {
    [Symbol.asyncDispose](): PromiseLike<void>
  }
}

/** Mock in this process. */
export interface Momock extends MomockClient {
  /** Stops the mock. No socket or timer stays open. */
  close: () => Promise<void>
  /** Stops the mock at the end of a block: `await using mock = await createMomock()`. */
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Mock in this process with a TLS listener. */
export interface TlsMomock extends Momock, TlsAccess {}

/** Options of a mock in this process: its settings, and options of its client. */
export interface MomockOptions extends Partial<Config>, Pick<ClientOptions, 'onUnmatched'> {
  /** A TLS listener on a free port. */
  tls?: boolean
}

/**
 * Starts a mock. By default it uses a free port and a ledger in memory. With `tls` it also listens
 * for HTTPS, with a certificate authority of its own.
 */
export function createMomock (options: MomockOptions & { tls: true }): Promise<TlsMomock>
export function createMomock (options?: MomockOptions): Promise<Momock>
export async function createMomock ({
  tls = false,
  onUnmatched,
  ...options
}: MomockOptions = {}): Promise<Momock | TlsMomock> {
  const problem = nodeProblem()
  if (problem !== undefined) throw new Error(problem)
  const [{ systemClock }, { completeConfig }, { demoTokenOf }, { createLogger }, { startServer }] =
    await Promise.all([
      import('./lib/clock.ts'),
      import('./config/load-config.ts'),
      import('./domain/account.ts'),
      import('./lib/logger.ts'),
      import('./server.ts')
    ])
  const scratch = tls ? await createTlsFolder() : undefined
  let server: Server | undefined
  try {
    const config = completeConfig(options, {
      port: 0,
      db: ':memory:',
      logLevel: 'silent',
      ...(scratch !== undefined && { tlsPort: 0, tlsDir: scratch.path })
    })
    const log = await createLogger(config.logLevel, false)
    server = await startServer(config, systemClock, log)
    const opened = server.tls === undefined ? undefined : await openTls(server.tls)
    const stop = async (): Promise<void> => {
      await opened?.closeTls()
      await server?.close()
      scratch?.remove()
    }
    const client = new MomockClient(server.url, demoTokenOf(server.app.accounts.default.settings), {
      adminToken: config.adminToken,
      onUnmatched,
      env: { PAWAPAY_SIGNED_CALLBACKS: String(signsCallbacks(config)), ...opened?.env }
    })
    const close = onUnmatched === 'throw' ? () => client.expectNoUnmatched().finally(stop) : stop
    return Object.assign(client, opened?.access, { close, [Symbol.asyncDispose]: close })
  } catch (error) {
    await server?.close()
    scratch?.remove()
    throw error
  }
}

/** Tells whether the callbacks of the default account are signed. */
function signsCallbacks ({ accounts = [] }: Config): boolean {
  return accounts.find(({ name }) => name === 'default')?.signedCallbacks !== false
}

/** Creates a folder for the certificate authority of one mock. */
async function createTlsFolder (): Promise<{ path: string; remove: () => void }> {
  const [{ mkdtempSync, rmSync }, { tmpdir }, { join }] = await Promise.all([
    import('node:fs'),
    import('node:os'),
    import('node:path')
  ])
  const path = mkdtempSync(join(tmpdir(), 'momock-tls-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

async function openTls ({
  url,
  cert,
  authority
}: NonNullable<Server['tls']>): Promise<ReturnType<typeof openTlsAccess>> {
  const { openTlsAccess } = await import('./client/tls-access.ts')
  return openTlsAccess(url, authority?.cert ?? cert, authority?.files)
}

/** Returns a client for a mock that runs elsewhere. The token selects the account. */
export function connectMomock (
  url: string,
  token = 'test-token',
  options: ClientOptions = {}
): MomockClient {
  return new MomockClient(url, token, options)
}

/**
 * Examines an application, as `momock exam` does. Returns the report, or throws an ExamFailed with
 * the findings in its message.
 */
export async function exam (request: ExamRequest): Promise<ExamReport> {
  const { requestExam } = await import('./exam/request-exam.ts')
  return await requestExam(request, createMomock)
}
