import { NotPossible } from './check.ts'
import type { Subject } from './bench.ts'
import type { Values } from './template.ts'

/** Customer of a checkout, who tries to pay on the page of the service. */

/** Tries to pay a checkout once. */
export async function attemptCheckout (
  { record }: Subject,
  { phoneNumber, provider, amount, currency }: Values
): Promise<void> {
  const { redirectUrl, amounts } = record
  if (typeof redirectUrl !== 'string') throw new NotPossible('the checkout has no redirectUrl')
  const isOpen = !Array.isArray(amounts) || amounts.length === 0
  const response = await fetch(`${redirectUrl}/attempts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ phoneNumber, provider, currency, ...(isOpen && { amount }) })
  })
  const text = await response.text()
  if (!response.ok) throw new NotPossible(`the customer could not pay the checkout: ${text}`)
}
