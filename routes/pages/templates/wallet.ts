import type { Provider } from '../../../src/domain/catalogue.ts'
import type { PaymentOption } from '../../../src/domain/payment-options.ts'
import { internationalNumber } from '../../../src/domain/phone-number.ts'
import { predict } from '../../../src/domain/provider-prediction.ts'
import { isRefusal, type Refusal } from '../../../src/domain/refusal.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { formatMoney } from './format.ts'
import type { Reader } from './layout.ts'
import { isText } from './texts.ts'
import type { TextName } from './texts-en.ts'
import {
  amountField,
  codeField,
  countryField,
  currencyChoice,
  formFields,
  phoneField,
  providerField,
  type FieldErrors,
  type FormField,
  type Preselected,
  type WalletForm
} from './wallet-fields.ts'

/** Id of the form, for buttons outside of it. */
export const walletId = 'wallet'

/** Field of the form that each refusal is about. */
const fieldOf: Partial<Record<Refusal['code'], FormField>> = {
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
  const { offers, fixed, prices, typed, problems } = wallet
  const offer = countryOf(wallet)
  if (offer === undefined) return html`<p class="problem" role="alert">${say('noOffers')}</p>`
  const here = prices.filter(({ country }) => country === offer.code)
  const providers = offer.providers.filter(
    ({ code: provider }) => fixed.provider === undefined || provider === fixed.provider
  )
  const chosen = chosenProvider(wallet, offer, providers)
  const only = here.length === 1 && here[0].currency !== undefined ? here[0] : undefined
  const price = only && formatMoney(only.amount, only.currency, language)
  const errors = errorsOf(reader, problems, offer)
  const fields: Partial<Record<FormField, Html | undefined>> = {
    phoneNumber: phoneField(reader, wallet, offer, chosen, errors),
    provider: providerField(reader, providers, chosen, errors),
    amount: here.length === 0 ? amountField(reader, providers, typed, errors) : undefined,
    currency: currencyChoice(reader, here, providers, typed, errors),
    preAuthorisationCode: codeField(reader, providers, typed, errors)
  }
  const isShown = (field: FormField | undefined): boolean =>
    field !== undefined &&
    fields[field] !== undefined &&
    !(field === 'phoneNumber' && fixed.phoneNumber !== undefined)
  return html`${problemAlert(reader, problems, offer, isShown)}
<form class="wallet" id="${walletId}" method="post" action="${wallet.action}" novalidate>
${
  offers.length > 1 && fixed.provider === undefined
    ? countryField(reader, wallet, offer)
    : html`<input type="hidden" name="country" value="${offer.code}">`
}
${formFields.flatMap((field) => fields[field] ?? [])}
<button class="main" type="submit">${
    price === undefined ? say('payButtonFree') : say('payButton', { amount: price })
  }</button>
</form>`
}

/**
 * Alert above a refused form: how many fields are marked, and the problems that belong to no field
 * of the form.
 */
function problemAlert (
  reader: Reader,
  problems: readonly Refusal[],
  offer: PaymentOption,
  isShown: (field: FormField | undefined) => boolean
): Html | undefined {
  if (problems.length === 0) return undefined
  const others = problems.filter((problem) => !isShown(wrongField(problem)))
  const marked = new Set(problems.map(wrongField).filter(isShown)).size
  const texts = [
    ...new Set(others.map((problem) => problemText(reader, problem, offer))),
    ...(marked === 0 ? [] : [reader.say('checkFields', { fields: marked })])
  ]
  return html`<div class="problem" role="alert" id="problem">
${texts.map((text) => html`<p>${text}</p>`)}
</div>`
}

/** Text about the problem of each field. */
function errorsOf (
  reader: Reader,
  problems: WalletForm['problems'],
  offer: PaymentOption
): FieldErrors {
  const errors: FieldErrors = {}
  for (const problem of problems) {
    const field = wrongField(problem)
    if (field !== undefined) errors[field] ??= problemText(reader, problem, offer)
  }
  return errors
}

/** Provider that is preselected: the chosen one, the only one, or that of the phone number. */
export function chosenProvider (
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
function wrongField ({ code, field }: Refusal): FormField | undefined {
  return fieldOf[code] ?? formFields.find((name) => name === field)
}

function problemText ({ say, language }: Reader, problem: Refusal, offer: PaymentOption): string {
  const names: TextName[] = [`error.${problem.code}`, `error.${wrongField(problem)}`].filter(isText)
  return say(names[0] ?? 'error.other', { country: offer.country.displayName[language] })
}
