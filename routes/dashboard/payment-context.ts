import type { Static } from '@sinclair/typebox'
import type { PaymentView } from '../../src/admin-api/payments.ts'
import { JournalPage } from '../../src/admin-api/requests.ts'
import { SignatureExplanation } from '../../src/admin-api/signatures.ts'
import { createValidator } from '../../src/lib/validator.ts'
import type { PaymentContext } from './templates/payment.ts'
import type { Visit } from './visit.ts'

type Payment = Static<typeof PaymentView>
type Callback = Payment['callbacks'][number]
type Attempt = Callback['attempts'][number]

/**
 * Attempts whose signatures are explained, the latest: a verification takes up to 1 ms. Links lead
 * to the explanations of the others.
 */
const explainedAttempts = 20

const journalValidator = createValidator(JournalPage)
const explanationValidator = createValidator(SignatureExplanation)

/** Reads what the page of a payment shows besides the payment: requests and signatures. */
export async function readPaymentContext (visit: Visit, payment: Payment): Promise<PaymentContext> {
  const path = `/__admin/requests?limit=100&payment=${encodeURIComponent(payment.id)}`
  const all = payment.callbacks.flatMap((callback) =>
    callback.attempts.map((attempt, n) => ({ callback, attempt, n: n + 1 }))
  )
  const chosen = Number(visit.query.callback)
  const attempts = all.filter(
    ({ callback: { id } }, n) => id === chosen || n >= all.length - explainedAttempts
  )
  const [journal, ...explained] = await Promise.all([
    visit.ask({ method: 'GET', path }),
    ...attempts.map(({ callback, attempt }) => explainAttempt(visit, callback, attempt))
  ])
  const explanations = new Map<string, Static<typeof SignatureExplanation>>()
  for (const [index, { callback, n }] of attempts.entries()) {
    const explanation = explained[index]
    if (explanation !== undefined) explanations.set(`${callback.id}/${n}`, explanation)
  }
  const requests = journalValidator.check(journal.body) ? journal.body.requests : []
  return { requests: requests.reverse(), explanations }
}

/** Explains the signature of an attempt as of the time at which it was sent. */
async function explainAttempt (
  visit: Visit,
  { url, faults }: Callback,
  { request: { headers, body } }: Attempt
): Promise<Static<typeof SignatureExplanation> | undefined> {
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value)])
  )
  const [, created] = /;created=(\d{1,10})(?:;|$)/.exec(sent['signature-input'] ?? '') ?? []
  // A stale signature claims to be older than it is.
  const time = Number(created) * 1000 + (faults?.staleMs ?? 0)
  const answer = await visit.ask({
    method: 'POST',
    path: '/__admin/signatures/explain',
    body: {
      method: 'POST',
      url,
      headers: sent,
      body,
      ...(created !== undefined && { at: new Date(time).toISOString() })
    }
  })
  return explanationValidator.check(answer.body) ? answer.body : undefined
}
