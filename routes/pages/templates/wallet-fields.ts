import type { Catalogue, Provider } from '../../../src/domain/catalogue.ts'
import { limitsOf } from '../../../src/domain/catalogue.ts'
import type { CustomerChoice } from '../../../src/domain/customer-choice.ts'
import type { FixedPrice, PaymentOption } from '../../../src/domain/payment-options.ts'
import { internationalNumber } from '../../../src/domain/phone-number.ts'
import type { Refusal } from '../../../src/domain/refusal.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { formatMoney, formatNumber } from './format.ts'
import { optionalAttribute, type Reader } from './layout.ts'

/** Fields of the form in which a customer chooses a wallet. */

/** Values of the form: typed by the customer, or filled in. */
export type TypedFields = Omit<CustomerChoice, 'attended'>

/** Fields of the form that can be wrong, in their order. */
export const formFields = [
  'phoneNumber',
  'provider',
  'amount',
  'currency',
  'preAuthorisationCode'
] as const
export type FormField = (typeof formFields)[number]

/** Text about the problem of each wrong field. The first one gets the focus. */
export type FieldErrors = Partial<Record<FormField, string>>

/** Choice of a wallet: the offers, the fixed values, the typed values and their problems. */
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
  problems: readonly Refusal[]
  catalogue: Catalogue
}

/** Preselected provider; `predicted` if it follows from the phone number. */
export interface Preselected {
  provider: Provider
  predicted: boolean
}

/** Line below a wrong field. */
function errorLine (field: FormField, errors: FieldErrors): Html | undefined {
  const text = errors[field]
  return text === undefined ? undefined : html`<p class="wrong" id="${field}Problem">${text}</p>`
}

/** Attributes of a field: its hint and its problem, and the focus if it is the first wrong one. */
function describeField (field: FormField, errors: FieldErrors, hint: string): Html {
  if (errors[field] === undefined) return html`aria-describedby="${hint}"`
  return html`aria-describedby="${hint} ${field}Problem" aria-invalid="true"
  ${focusFirst(field, errors)}`
}

function focusFirst (field: FormField, errors: FieldErrors): Html | undefined {
  const isFirst = formFields.find((one) => errors[one] !== undefined) === field
  return optionalAttribute('autofocus', isFirst ? 'autofocus' : undefined)
}

/** Attribute of a group of choices: its problem. */
function describeGroup (field: FormField, errors: FieldErrors): Html | undefined {
  return optionalAttribute(
    'aria-describedby',
    errors[field] === undefined ? undefined : `${field}Problem`
  )
}

/** Field of the country. Without a script, a button shows the providers of the chosen country. */
export function countryField (
  { say, language }: Reader,
  { page, offers }: WalletForm,
  { code }: PaymentOption
): Html {
  const options = offers.map((offer) => {
    const { displayName, prefix } = offer.country
    const selected = offer.code === code ? 'selected' : undefined
    return html`<option value="${offer.code}"
  ${optionalAttribute('selected', selected)}>${displayName[language]} (+${prefix})</option>`
  })
  return html`<div class="field">
<label for="country">${say('country')}</label>
<div class="row">
<select id="country" name="country" data-submits>
${options}
</select>
<button type="submit" formmethod="get" formaction="${page}"
  data-plain>${say('changeCountry')}</button>
</div>
</div>`
}

/** Field of the phone number; a fixed number is only shown. */
export function phoneField (
  { say }: Reader,
  { fixed, typed, predictions }: WalletForm,
  { code, country }: PaymentOption,
  chosen: Preselected | undefined,
  errors: FieldErrors
): Html {
  const { prefix, nationalNumberLengths, phonePattern } = country
  const whole =
    typed.phoneNumber === undefined ? '' : internationalNumber(typed.phoneNumber, country)
  if (fixed.phoneNumber !== undefined) {
    return html`<p class="fixed"><span class="label">${say('phoneNumber')}</span>
<span class="value">+${fixed.phoneNumber}</span></p>`
  }
  const plain = say('phoneHint', {
    digits: nationalNumberLengths.join(` ${say('or')} `),
    prefix,
    last: Number(nationalNumberLengths.at(-1))
  })
  const hint =
    chosen?.predicted === true ? say('predicted', { provider: chosen.provider.displayName }) : plain
  return html`<div class="field">
<label for="phoneNumber">${say('phoneNumber')}</label>
<div class="row joined"><span class="prefix" aria-hidden="true">+${prefix}</span>
<input id="phoneNumber" name="phoneNumber" type="tel" inputmode="tel" autocomplete="tel-national"
  required maxlength="24"
  value="${phonePattern.test(whole) ? whole.slice(prefix.length) : (typed.phoneNumber ?? '')}"
  ${describeField('phoneNumber', errors, 'phoneHint')}
  data-predictions="${predictions}" data-country="${code}" data-plain-hint="${plain}"
  data-predicted="${say('predicted')}" data-unpredicted="${say('notPredicted')}"
  data-unoffered="${say('notOffered')}"></div>
${errorLine('phoneNumber', errors)}
<p class="hint" id="phoneHint">${hint}</p>
</div>`
}

/** Choice of the provider. */
export function providerField (
  { say }: Reader,
  providers: Provider[],
  chosen: Preselected | undefined,
  errors: FieldErrors
): Html {
  const choices = providers.map((provider, index) => {
    const { code, displayName, authType } = provider
    const isChosen = chosen?.provider === provider
    return html`<label class="choice"><input type="radio" name="provider" value="${code}" required
  ${optionalAttribute('checked', isChosen ? 'checked' : undefined)}
  ${optionalAttribute('data-by-number', isChosen && chosen.predicted ? 'true' : undefined)}
  ${index === 0 ? focusFirst('provider', errors) : undefined}
  data-auth="${authType}">
<img src="/static/marks/${code.toLowerCase()}.svg" alt="" width="36" height="36">
<span>${displayName}</span></label>`
  })
  return html`<fieldset class="providers" ${describeGroup('provider', errors)}>
<legend>${say('provider')}</legend>
${choices}
${errorLine('provider', errors)}
</fieldset>`
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
              min: formatNumber(withDecimals(limits.min, limits.decimals), language),
              max: formatNumber(withDecimals(limits.max, limits.decimals), language),
              currency
            })
          ]
    })
    .join(' · ')
}

/** Writes an amount with at least so many decimals. */
function withDecimals (amount: string, decimals: number): string {
  const [whole, fraction = ''] = amount.split('.')
  return decimals === 0 ? amount : `${whole}.${fraction.padEnd(decimals, '0')}`
}

/**
 * Limits of all providers, because each can still be chosen. The script shows only those of the
 * chosen provider.
 */
export function amountField (
  reader: Reader,
  providers: Provider[],
  { amount }: TypedFields,
  errors: FieldErrors
): Html {
  const { say } = reader
  const currencies = currenciesOf(providers)
  const label =
    currencies.length === 1 ? say('amountIn', { currency: currencies[0] }) : say('amount')
  const limits = providers.map((provider) => {
    const { code, displayName } = provider
    const text = say('limitsOf', { provider: displayName, limits: limitsText(reader, provider) })
    return html`<span class="limits" data-limits-of="${code}">${text}</span> `
  })
  return html`<div class="field">
<label for="amount">${label}</label>
<input id="amount" name="amount" type="text" inputmode="decimal" autocomplete="off" required
  maxlength="23" value="${amount ?? ''}" ${describeField('amount', errors, 'amountHint')}>
${errorLine('amount', errors)}
<p class="hint" id="amountHint">${limits}</p>
</div>`
}

/** Choice of a price or a currency, where there are several. */
export function currencyChoice (
  { say, language }: Reader,
  prices: WalletForm['prices'],
  providers: Provider[],
  typed: TypedFields,
  errors: FieldErrors
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
  const inputs = choices.map(({ currency, label }, index) => {
    const checked = typed.currency === currency ? 'checked' : undefined
    const focus = index === 0 ? focusFirst('currency', errors) : undefined
    return html`<label class="choice"><input type="radio" name="currency" value="${currency}"
  required ${optionalAttribute('checked', checked)} ${focus}> <span>${label}</span></label>`
  })
  return html`<fieldset class="currencies" ${describeGroup('currency', errors)}>
<legend>${say(prices.length === 0 ? 'currency' : 'amount')}</legend>
${inputs}
${errorLine('currency', errors)}
</fieldset>`
}

/** Field of the code that some providers give the customer beforehand. */
export function codeField (
  { say }: Reader,
  providers: Provider[],
  { preAuthorisationCode }: TypedFields,
  errors: FieldErrors
): Html | undefined {
  const wanting = providers.filter(({ authType }) => authType === 'PREAUTH')
  if (wanting.length === 0) return undefined
  const names = wanting.map(({ displayName }) => displayName).join(', ')
  return html`<div class="field" data-for-auth="PREAUTH">
<label for="code">${say('code')}</label>
<input id="code" name="preAuthorisationCode" type="text" inputmode="numeric"
  autocomplete="one-time-code" maxlength="36" value="${preAuthorisationCode ?? ''}"
  ${describeField('preAuthorisationCode', errors, 'codeHint')}>
${errorLine('preAuthorisationCode', errors)}
<p class="hint" id="codeHint">${say('codeHint', { providers: names })}</p>
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
