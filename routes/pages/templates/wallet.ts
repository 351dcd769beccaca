import type { Catalogue, Provider } from '../../../src/domain/catalogue.ts'
import { limitsOf } from '../../../src/domain/catalogue.ts'
import type { FixedPrice, PaymentOption } from '../../../src/domain/payment-options.ts'
import { internationalNumber, isPhoneNumber } from '../../../src/domain/phone-number.ts'
import { predict } from '../../../src/domain/provider-prediction.ts'
import type { Refusal } from '../../../src/domain/refusal.ts'
import { isRefusal } from '../../../src/domain/refusal.ts'
import type { CustomerChoice } from '../../../src/domain/customer-choice.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { formatMoney, formatNumber } from './format.ts'
import { optionalAttribute, type Reader } from './layout.ts'
import { isText } from './texts.ts'
import type { TextName } from './texts-en.ts'

/** Values of the form: typed by the customer, or filled in. */
export type TypedFields = Omit<CustomerChoice, 'attended'>

/** Id of the form, for buttons outside of it. */
export const walletId = 'wallet'

/** Choice of a wallet: the offers, the fixed values, the typed values and their problem. */
export interface WalletForm {
  /** Path of the page, and the target of its form. */
  page: string
  action: string
  predictions: string
  offers: PaymentOption[]
  fixed: { phoneNumber?: string; provider?: string }
  /** In a country that has prices, the customer pays one of them. */
  prices: readonly FixedPrice[]
  typed: TypedFields
  problem?: Refusal
  catalogue: Catalogue
}

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
  return html`${problem === undefined ? undefined : html`<p class="problem" role="alert" id="problem">${problemText(reader, problem, wrong, offer)}</p>`}
<form class="wallet" id="${walletId}" method="post" action="${wallet.action}" novalidate>
${offers.length > 1 && fixed.provider === undefined ? countryField(reader, wallet, offer) : html`<input type="hidden" name="country" value="${offer.code}">`}
${phoneField(reader, wallet, offer, chosen, wrong)}
<fieldset class="providers" ${optionalAttribute('aria-describedby', wrong === 'provider' ? 'problem' : undefined)}>
<legend>${say('provider')}</legend>
${providers.map((provider) => providerChoice(provider, chosen))}
</fieldset>
${here.length === 0 ? amountField(reader, providers, typed, wrong) : undefined}
${currencyChoice(reader, here, providers, typed, wrong)}
${codeField(reader, providers, typed, wrong)}
<button class="main" type="submit">${only === undefined ? say('payButtonFree') : say('payButton', { amount: formatMoney(only.amount, only.currency, language) })}</button>
</form>`
}

/** The provider that is preselected, and whether because the number is one of theirs. */
interface Preselected {
  provider: Provider
  predicted: boolean
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

/**
 * The country is a field like the others; without a script, its providers are asked for with a
 * button.
 */
function countryField (
  { say, language }: Reader,
  { page, offers }: WalletForm,
  { code }: PaymentOption
): Html {
  return html`<div class="field">
<label for="country">${say('country')}</label>
<div class="row">
<select id="country" name="country" data-submits>
${offers.map((offer) => html`<option value="${offer.code}" ${optionalAttribute('selected', offer.code === code ? 'selected' : undefined)}>${offer.country.displayName[language]} (+${offer.country.prefix})</option>`)}
</select>
<button type="submit" formmethod="get" formaction="${page}" data-plain>${say('changeCountry')}</button>
</div>
</div>`
}

function phoneField (
  { say }: Reader,
  { fixed, typed, predictions }: WalletForm,
  { code, country }: PaymentOption,
  chosen: Preselected | undefined,
  wrong: string | undefined
): Html {
  const { prefix, nationalNumberLengths } = country
  const whole =
    typed.phoneNumber === undefined ? '' : internationalNumber(typed.phoneNumber, country)
  if (fixed.phoneNumber !== undefined) {
    return html`<p class="fixed"><span class="label">${say('phoneNumber')}</span> <span class="value">+${fixed.phoneNumber}</span></p>`
  }
  const plain = say('phoneHint', {
    digits: nationalNumberLengths.join(` ${say('or')} `),
    prefix,
    last: Number(nationalNumberLengths.at(-1))
  })
  return html`<div class="field">
<label for="phoneNumber">${say('phoneNumber')}</label>
<div class="row joined"><span class="prefix" aria-hidden="true">+${prefix}</span>
<input id="phoneNumber" name="phoneNumber" type="tel" inputmode="tel" autocomplete="tel-national" required maxlength="24" value="${isPhoneNumber(whole, country) ? whole.slice(prefix.length) : (typed.phoneNumber ?? '')}"
 aria-describedby="phoneHint${wrong === 'phoneNumber' ? ' problem' : ''}" ${optionalAttribute('aria-invalid', wrong === 'phoneNumber' ? 'true' : undefined)} data-predictions="${predictions}" data-country="${code}" data-plain-hint="${plain}" data-predicted="${say('predicted')}" data-unpredicted="${say('notPredicted')}" data-unoffered="${say('notOffered')}"></div>
<p class="hint" id="phoneHint">${chosen?.predicted === true ? say('predicted', { provider: chosen.provider.displayName }) : plain}</p>
</div>`
}

function providerChoice (provider: Provider, chosen: Preselected | undefined): Html {
  const { code, displayName, authType } = provider
  const isChosen = chosen?.provider === provider
  return html`<label class="choice"><input type="radio" name="provider" value="${code}" required ${optionalAttribute('checked', isChosen ? 'checked' : undefined)} ${optionalAttribute('data-by-number', isChosen && chosen.predicted ? 'true' : undefined)} data-auth="${authType}">
<img src="/static/marks/${code.toLowerCase()}.svg" alt="" width="36" height="36"> <span>${displayName}</span></label>`
}

/** Limits of a provider in each of its currencies. */
function limitsText ({ say, language }: Reader, provider: Provider): string {
  return Object.keys(provider.currencies)
    .flatMap((currency) => {
      const limits = limitsOf(provider, currency, 'DEPOSIT')
      return limits === undefined
        ? []
        : [
            say(limits.decimals === 0 ? 'limitsWhole' : 'limits', {
              min: formatNumber(limits.min, language),
              max: formatNumber(limits.max, language),
              currency
            })
          ]
    })
    .join(' · ')
}

/**
 * Limits of all providers, because each can still be chosen. The script shows only those of the
 * chosen provider.
 */
function amountField (
  reader: Reader,
  providers: Provider[],
  { amount }: TypedFields,
  wrong: string | undefined
): Html {
  const { say } = reader
  const currencies = currenciesOf(providers)
  return html`<div class="field">
<label for="amount">${currencies.length === 1 ? say('amountIn', { currency: currencies[0] }) : say('amount')}</label>
<input id="amount" name="amount" type="text" inputmode="decimal" autocomplete="off" required maxlength="23" value="${amount ?? ''}" aria-describedby="amountHint${wrong === 'amount' ? ' problem' : ''}" ${optionalAttribute('aria-invalid', wrong === 'amount' ? 'true' : undefined)}>
<p class="hint" id="amountHint">${providers.map((provider) => html`<span class="limits" data-limits-of="${provider.code}">${say('limitsOf', { provider: provider.displayName, limits: limitsText(reader, provider) })}</span> `)}</p>
</div>`
}

/** Choice of a price or a currency, where there are several. */
function currencyChoice (
  { say, language }: Reader,
  prices: WalletForm['prices'],
  providers: Provider[],
  typed: TypedFields,
  wrong: string | undefined
): Html | undefined {
  const choices =
    prices.length === 0 || prices.some(({ currency }) => currency === undefined)
      ? currenciesOf(providers).map((currency) => ({
        currency,
        label: prices.length === 0 ? currency : formatMoney(prices[0].amount, currency, language)
      }))
      : prices.map(({ amount, currency }) => ({
        currency: currency as string,
        label: formatMoney(amount, currency, language)
      }))
  if (choices.length < 2) return undefined
  return html`<fieldset class="currencies" ${optionalAttribute('aria-describedby', wrong === 'currency' ? 'problem' : undefined)}>
<legend>${say(prices.length === 0 ? 'currency' : 'amount')}</legend>
${choices.map(({ currency, label }) => html`<label class="choice"><input type="radio" name="currency" value="${currency}" required ${optionalAttribute('checked', typed.currency === currency ? 'checked' : undefined)}> <span>${label}</span></label>`)}
</fieldset>`
}

/** Some providers want a code that the customer got from them beforehand. */
function codeField (
  { say }: Reader,
  providers: Provider[],
  { preAuthorisationCode }: TypedFields,
  wrong: string | undefined
): Html | undefined {
  const wanting = providers.filter(({ authType }) => authType === 'PREAUTH')
  if (wanting.length === 0) return undefined
  return html`<div class="field" data-for-auth="PREAUTH">
<label for="code">${say('code')}</label>
<input id="code" name="preAuthorisationCode" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="36" value="${preAuthorisationCode ?? ''}" aria-describedby="codeHint${wrong === 'preAuthorisationCode' ? ' problem' : ''}" ${optionalAttribute('aria-invalid', wrong === 'preAuthorisationCode' ? 'true' : undefined)}>
<p class="hint" id="codeHint">${say('codeHint', { providers: wanting.map(({ displayName }) => displayName).join(', ') })}</p>
</div>`
}

function currenciesOf (providers: Provider[]): string[] {
  return [
    ...new Set(
      providers.flatMap((provider) =>
        Object.keys(provider.currencies).filter(
          (currency) => limitsOf(provider, currency, 'DEPOSIT') !== undefined
        )
      )
    )
  ]
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
