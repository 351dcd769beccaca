import type { Provider } from '../../../src/domain/catalogue.ts'
import type { PaymentOption } from '../../../src/domain/payment-options.ts'
import { internationalNumber } from '../../../src/domain/phone-number.ts'
import { predict } from '../../../src/domain/provider-prediction.ts'
import { isRefusal, type Refusal } from '../../../src/domain/refusal.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { formatMoney } from './format.ts'
import { optionalAttribute, type Reader } from './layout.ts'
import { isText } from './texts.ts'
import type { TextName } from './texts-en.ts'
import {
  amountField,
  codeField,
  countryField,
  currencyChoice,
  phoneField,
  providerChoice,
  type Preselected,
  type WalletForm
} from './wallet-fields.ts'

/** Id of the form, for buttons outside of it. */
export const walletId = 'wallet'

const formFields = ['provider', 'phoneNumber', 'amount', 'currency', 'preAuthorisationCode']

/** Field of the form that each refusal is about. */
const fieldOf: Partial<Record<Refusal['code'], string>> = {
  PHONE_NUMBER: 'phoneNumber',
  BELOW_MINIMUM: 'amount',
  ABOVE_MAXIMUM: 'amount',
  DECIMALS: 'amount',
  CURRENCY: 'currency',
  UNKNOWN_PROVIDER: 'provider',
  PROVIDER_NOT_ENABLED: 'provider',
  PROVIDER_UNAVAILABLE: 'provider',
  KIND_NOT_ALLOWED: 'provider'
}

/**
 * Country whose wallets are shown: the chosen one, or that of the provider or the phone number, or
 * the first.
 */
export function countryOf ({
  offers,
  fixed,
  typed,
  catalogue
}: WalletForm): PaymentOption | undefined {
  const provider = catalogue.providers.get(fixed.provider ?? typed.provider ?? '')
  const number = fixed.phoneNumber ?? typed.phoneNumber
  const predicted = number === undefined ? undefined : predict(number, catalogue, 'phoneNumber')
  const codes = [
    provider !== undefined && fixed.provider !== undefined ? provider.country : undefined,
    typed.country,
    provider?.country,
    predicted !== undefined && !isRefusal(predicted) ? predicted.country : undefined
  ]
  const wanted = codes.find((code) => offers.some((offer) => offer.code === code))
  return offers.find(({ code }) => code === wanted) ?? offers.at(0)
}

/** The form in which a customer chooses how to pay. */
export function walletForm (reader: Reader, wallet: WalletForm): Html {
  const { say, language } = reader
  const { offers, fixed, prices, typed, problem } = wallet
  const offer = countryOf(wallet)
  if (offer === undefined) return html`<p class="problem" role="alert">${say('noOffers')}</p>`
  const here = prices.filter(({ country }) => country === offer.code)
  const providers = offer.providers.filter(
    ({ code: provider }) => fixed.provider === undefined || provider === fixed.provider
  )
  const wrong = problem === undefined ? undefined : wrongField(problem)
  const chosen = chosenProvider(wallet, offer, providers)
  const only = here.length === 1 && here[0].currency !== undefined ? here[0] : undefined
  const text = problem && problemText(reader, problem, wrong, offer)
  const price = only && formatMoney(only.amount, only.currency, language)
  return html`${text && html`<p class="problem" role="alert" id="problem">${text}</p>`}
<form class="wallet" id="${walletId}" method="post" action="${wallet.action}" novalidate>
${
  offers.length > 1 && fixed.provider === undefined
    ? countryField(reader, wallet, offer)
    : html`<input type="hidden" name="country" value="${offer.code}">`
}
${phoneField(reader, wallet, offer, chosen, wrong)}
<fieldset class="providers"
  ${optionalAttribute('aria-describedby', wrong === 'provider' ? 'problem' : undefined)}>
<legend>${say('provider')}</legend>
${providers.map((provider) => providerChoice(provider, chosen))}
</fieldset>
${here.length === 0 ? amountField(reader, providers, typed, wrong) : undefined}
${currencyChoice(reader, here, providers, typed, wrong)}
${codeField(reader, providers, typed, wrong)}
<button class="main" type="submit">${
  price === undefined ? say('payButtonFree') : say('payButton', { amount: price })
}</button>
</form>`
}

/** Provider that is preselected: the chosen one, the only one, or that of the phone number. */
function chosenProvider (
  { fixed, typed, catalogue }: WalletForm,
  { country }: PaymentOption,
  providers: Provider[]
): Preselected | undefined {
  const number =
    fixed.phoneNumber ??
    (typed.phoneNumber === undefined ? undefined : internationalNumber(typed.phoneNumber, country))
  const prediction = number === undefined ? undefined : predict(number, catalogue, 'phoneNumber')
  const predicted =
    prediction === undefined || isRefusal(prediction) ? undefined : prediction.provider.code
  const wanted = [
    fixed.provider ?? typed.provider,
    providers.length === 1 ? providers[0].code : undefined,
    predicted
  ]
  const code = wanted.find((one) => providers.some(({ code: provider }) => provider === one))
  const provider = providers.find((one) => one.code === code)
  return provider && { provider, predicted: code === predicted }
}

/** Returns the field of the form that a refusal is about. */
function wrongField ({ code, field }: Refusal): string | undefined {
  return fieldOf[code] ?? formFields.find((name) => name === field)
}

function problemText (
  { say, language }: Reader,
  { code }: Refusal,
  field: string | undefined,
  { country }: PaymentOption
): string {
  const names: TextName[] = [`error.${code}`, `error.${field}`].filter(isText)
  return say(names[0] ?? 'error.other', { country: country.displayName[language] })
}
