import { MomockClient } from './client/client.ts'
import { nodeProblem } from './lib/node-version.js'
import type { Config } from './config/config.ts'
import type { ExamRequest } from './exam/request-exam.ts'
import type { Report as ExamReport } from './exam-report/report.ts'

/**
 * Exports of `import 'momock'`, for tests in JavaScript and TypeScript: a mock inside this process,
 * or a client for a mock elsewhere.
 */

export type * from './client/responses.ts'
export type * from './client/requests.ts'
export type { Config } from './config/config.ts'
export { MomockClient, MomockError } from './client/client.ts'
export type { ExamRequest } from './exam/request-exam.ts'
export type { Report as ExamReport, Result as ExamResult } from './exam-report/report.ts'
export { ExamFailed } from './exam/exam-failed.ts'

/** Mock in this process. */
export interface Momock extends MomockClient {
  /** Stops the mock. No socket or timer stays open. */
  close: () => Promise<void>
}

/** Starts a mock. By default it uses a free port and a ledger in memory. */
export async function createMomock (options: Partial<Config> = {}): Promise<Momock> {
  const problem = nodeProblem()
  if (problem !== undefined) throw new Error(problem)
  const [{ systemClock }, { completeConfig }, { demoToken }, { createLogger }, { startServer }] =
    await Promise.all([
      import('./lib/clock.ts'),
      import('./config/load-config.ts'),
      import('./config/configured.ts'),
      import('./lib/logger.ts'),
      import('./server.ts')
    ])
  const config = completeConfig({ port: 0, db: ':memory:', logLevel: 'silent', ...options })
  const server = await startServer(config, systemClock, await createLogger(config.logLevel, false))
  return Object.assign(new MomockClient(server.url, demoToken(config), config.adminToken), {
    close: () => server.close()
  })
}

/** Returns a client for a mock that runs elsewhere. The token selects the account. */
export function connectMomock (
  url: string,
  token = 'test-token',
  options: { adminToken?: string } = {}
): MomockClient {
  return new MomockClient(url, token, options.adminToken)
}

/**
 * Examines an application, as `momock exam` does. Returns the report, or throws an ExamFailed with
 * the findings in its message.
 */
export async function exam (request: ExamRequest): Promise<ExamReport> {
  const { requestExam } = await import('./exam/request-exam.ts')
  return await requestExam(request, createMomock)
}
