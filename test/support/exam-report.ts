import type { ExamReport } from '../../src/index.ts'

/** Sample report of an exam with one failed check. */
export const examReport: ExamReport = {
  target: 'http://127.0.0.1:3000/callbacks?<b>',
  started: '2026-01-01T00:00:00.000Z',
  ended: '2026-01-01T00:00:09.000Z',
  summary: {
    depth: 0,
    passed: 0,
    failed: 1,
    warning: 0,
    review: 0,
    skipped: 0,
    seed: 'exam',
    version: '0.1.0'
  },
  checks: [
    {
      id: 'SIG-07',
      title: 'genuine callbacks are refused or ignored',
      proves: 'genuine callbacks are taken',
      severity: 'critical',
      depth: '0',
      verdict: 'FAILED',
      because: 'the honest callback was answered HTTP 401',
      sent: 'honest COMPLETED',
      received: 'HTTP 401 after 3 ms',
      booked: 'unknown',
      shouldBe: 'It is answered with 2xx.',
      why: 'Customers pay and get nothing.',
      fix: 'Verify the RFC 9421 signature.',
      curl: "curl -i -X POST 'http://127.0.0.1:3000/callbacks'",
      again: 'momock exam SIG-07 repeats the check',
      seed: 'exam/SIG-07',
      requirement: 'A signed callback is acknowledged. (API rules)',
      durationMs: 12,
      steps: [{ from: 'service', to: 'merchant', text: 'honest COMPLETED', answer: 'HTTP 401' }]
    }
  ]
}
