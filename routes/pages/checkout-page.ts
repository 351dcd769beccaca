import type { Static } from '@sinclair/typebox'
import { expiryOf } from '../../src/domain/checkout.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { listPaymentOptions, type PaymentOption } from '../../src/domain/payment-options.ts'
import { Refused } from '../../src/domain/refusal.ts'
import { isFinal, statusesOf } from '../../src/domain/status.ts'
import { formatTimestamp } from '../../src/lib/clock.ts'
import { answerWord, Type } from '../../src/lib/typebox.ts'
import type { Checkouts, CheckoutVisit } from '../../src/services/checkouts.ts'
import { DateTime } from '../../src/wire/fields.ts'
import {
  companyName,
  DepositRecord,
  OfferRecord,
  PhonePage,
  returnUrlOf,
  writeDeposit,
  writeOffer
} from '../../src/wire/pages.ts'
import type { PageParts } from './customer.ts'
import { createPhoneLink, type PhoneLink } from '../http/phone-link.ts'

/** Page of a checkout as JSON. */
export const CheckoutRecord = Type.Object({
  checkoutCode: Type.String(),
  state: answerWord(...statusesOf(kinds.checkout)),
  companyName: Type.String(),
  reason: Type.Optional(Type.Record(Type.String(), Type.String())),
  defaultLanguage: Type.Optional(Type.String()),
  created: DateTime,
  expiresAt: DateTime,
  timeIsUp: Type.Boolean({
    description: 'true after expiresAt; an attempt in progress can still complete the checkout'
  }),
  countries: Type.Array(OfferRecord),
  amounts: Type.Array(
    Type.Object({ country: Type.String(), currency: Type.String(), amount: Type.String() })
  ),
  payer: Type.Optional(
    Type.Object({
      phoneNumber: Type.Optional(Type.String()),
      provider: Type.Optional(Type.String()),
      allowCustomerToOverride: Type.Boolean()
    })
  ),
  attempts: Type.Array(DepositRecord),
  returnMethod: Type.String(),
  returnUrl: Type.Optional(Type.String()),
  phonePage: Type.Optional(PhonePage)
})

export interface CheckoutPageParts extends PageParts {
  checkouts: Checkouts
}

/** Content of the page of a checkout. */
export class CheckoutPage {
  readonly #parts: CheckoutPageParts

  constructor (parts: CheckoutPageParts) {
    this.#parts = parts
  }

  async find (code: string): Promise<CheckoutVisit> {
    const visit = await this.#parts.checkouts.visit(code)
    if (visit === undefined) {
      throw new Refused('NOT_FOUND', `there is no checkout with the code '${code}'`)
    }
    return visit
  }

  offersOf ({ account, payment }: CheckoutVisit): PaymentOption[] {
    const { countries, amounts } = payment.details.terms
    return listPaymentOptions(account, this.#parts.catalogue, countries, amounts)
  }

  phoneOf ({ account, payment, parts }: CheckoutVisit): PhoneLink | undefined {
    const number =
      parts.at(-1)?.payment.details.phoneNumber ?? payment.details.terms.payer?.phoneNumber
    if (number === undefined) return undefined
    const subject = { kind: kinds.checkout, id: payment.details.id }
    return createPhoneLink(this.#parts.ids, account, number, subject)
  }

  write (visit: CheckoutVisit): Static<typeof CheckoutRecord> {
    const { account, payment, state, parts } = visit
    const { terms, checkoutCode } = payment.details
    const phone = this.phoneOf(visit)
    const timeIsUp = expiryOf(payment) <= this.#parts.clockControl.now(account)
    return {
      checkoutCode,
      state: state.to,
      companyName: companyName(account),
      reason: terms.reason,
      defaultLanguage: terms.defaultLanguage,
      created: formatTimestamp(payment.created),
      expiresAt: formatTimestamp(expiryOf(payment)),
      timeIsUp,
      countries: this.offersOf(visit).map(writeOffer),
      amounts: terms.amounts ?? [],
      payer: terms.payer,
      attempts: parts.map(writeDeposit),
      returnMethod: terms.returnMethod,
      ...((isFinal(state.to) || timeIsUp) && {
        returnUrl: returnUrlOf(terms.returnUrl, 'checkoutCode', checkoutCode)
      }),
      ...(phone !== undefined && { phonePage: phone.url })
    }
  }
}
