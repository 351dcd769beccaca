import type { Provider } from '../../../src/domain/catalogue.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { outcomes } from '../test-values.ts'
import type { Reader } from './layout.ts'
import { countryOf, walletId } from './wallet.ts'
import type { WalletForm } from './wallet-fields.ts'

/**
 * Aids of the simulator for the form of a page: buttons that pay with an outcome, and test numbers
 * that fill in the form. They are buttons of the form, so the typed values stay without a script.
 */
export function formAids (reader: Reader, wallet: WalletForm): Html | undefined {
  const { say } = reader
  const providers = countryOf(wallet)?.providers.filter(
    ({ code }) => wallet.fixed.provider === undefined || code === wallet.fixed.provider
  )
  if (providers === undefined) return undefined
  const buttons = outcomes.map(
    (outcome) => html`<button form="${walletId}" name="outcome"
  value="${outcome}">${say(`outcome.${outcome}`)}</button>`
  )
  return html`<p id="outcomes">${say('outcomes')}</p>
<div class="aids" role="group" aria-labelledby="outcomes">
${buttons}
</div>
${testNumbers(reader, wallet, providers)}`
}

/** Test numbers of the providers, unless the merchant has fixed the number. */
function testNumbers (
  { say }: Reader,
  { page, fixed }: WalletForm,
  providers: readonly Provider[]
): Html | undefined {
  if (fixed.phoneNumber !== undefined) return undefined
  const known = providers.flatMap(({ code, displayName, testNumbers: { DEPOSIT = {} } }) => {
    const numbers = Object.entries(DEPOSIT).map(([number, outcome]) => {
      const button = html`<button form="${walletId}" formmethod="get" formaction="${page}"
  name="testNumber" value="${code}/${number}">${number}</button>`
      return html`<li>${button} ${outcome}</li>`
    })
    return numbers.length === 0 ? [] : [html`<p>${displayName}</p><ul>${numbers}</ul>`]
  })
  if (known.length === 0) return undefined
  return html`<details id="testNumbers"><summary>${say('testNumbers')}</summary>${known}</details>`
}
