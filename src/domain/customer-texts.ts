import type { FailureCode } from './failures.ts'
import type { RejectionCode } from './rejections.ts'

/**
 * A sentence that a shop can show to its customer, for each code of a payment that failed or was
 * rejected. None of them blames the customer for what only the shop can mend.
 */

export interface CustomerText {
  en: string
  fr: string
}

const notNow: CustomerText = {
  en: 'This payment cannot be made at the moment; please contact the shop.',
  fr: 'Ce paiement est impossible pour le moment ; veuillez contacter la boutique.'
}
const walletLimit: CustomerText = {
  en: 'Your wallet has reached its limit.',
  fr: 'Votre portefeuille a atteint sa limite.'
}
const noWallet: CustomerText = {
  en: 'This phone number has no wallet with the provider.',
  fr: 'Ce numéro n’a pas de portefeuille chez l’opérateur.'
}
const unknown: CustomerText = {
  en: 'The payment failed, and we do not know why; please try again later.',
  fr: 'Le paiement a échoué et nous ne savons pas pourquoi ; veuillez réessayer plus tard.'
}

const texts = {
  PAYER_NOT_FOUND: noWallet,
  PAYMENT_NOT_APPROVED: {
    en: 'The payment was not approved.',
    fr: 'Le paiement n’a pas été approuvé.'
  },
  PAYER_LIMIT_REACHED: walletLimit,
  INSUFFICIENT_BALANCE: {
    en: 'There is not enough money in your wallet.',
    fr: 'Il n’y a pas assez d’argent dans votre portefeuille.'
  },
  PAYMENT_IN_PROGRESS: {
    en: 'Another payment is waiting for your approval.',
    fr: 'Un autre paiement attend votre approbation.'
  },
  TRANSACTION_ALREADY_IN_PROCESS: {
    en: 'Another payment is being processed.',
    fr: 'Un autre paiement est en cours.'
  },
  RECIPIENT_NOT_FOUND: noWallet,
  RECIPIENT_LIMIT_REACHED: walletLimit,
  WALLET_LIMIT_REACHED: walletLimit,
  PAWAPAY_WALLET_OUT_OF_FUNDS: {
    en: 'The shop cannot pay you at the moment; please try again later.',
    fr: 'La boutique ne peut pas vous payer pour le moment ; veuillez réessayer plus tard.'
  },
  DEPOSIT_ALREADY_REFUNDED: {
    en: 'This payment has already been refunded.',
    fr: 'Ce paiement a déjà été remboursé.'
  },
  AMOUNT_TOO_LARGE: {
    en: 'The amount is too large.',
    fr: 'Le montant est trop élevé.'
  },
  REFUND_IN_PROGRESS: {
    en: 'A refund of this payment is already on its way.',
    fr: 'Un remboursement de ce paiement est déjà en cours.'
  },
  MANUALLY_CANCELLED: {
    en: 'The payment was cancelled, and no money was sent.',
    fr: 'Le paiement a été annulé et aucun argent n’a été envoyé.'
  },
  UNSPECIFIED_FAILURE: {
    en: 'The payment failed, and the provider did not say why; please try again later.',
    fr:
      'Le paiement a échoué et l’opérateur n’a pas dit pourquoi ; ' +
      'veuillez réessayer plus tard.'
  },
  UNKNOWN_ERROR: unknown,
  OTHER_ERROR: unknown,
  PROVIDER_TEMPORARILY_UNAVAILABLE: {
    en: 'The provider is not available at the moment; please try again later.',
    fr: 'L’opérateur n’est pas disponible pour le moment ; veuillez réessayer plus tard.'
  },
  INVALID_PHONE_NUMBER: {
    en: 'This is not a phone number of the chosen provider.',
    fr: 'Ce numéro n’est pas un numéro de l’opérateur choisi.'
  },
  INVALID_AMOUNT: {
    en: 'The provider does not take this amount; please use fewer decimals.',
    fr: 'L’opérateur n’accepte pas ce montant ; veuillez utiliser moins de décimales.'
  },
  AMOUNT_OUT_OF_BOUNDS: {
    en: 'The amount is outside of the limits of the provider.',
    fr: 'Le montant dépasse les limites de l’opérateur.'
  },
  AMOUNT_TOO_SMALL: {
    en: 'The amount is too small.',
    fr: 'Le montant est trop faible.'
  },
  INVALID_CURRENCY: {
    en: 'The provider does not take this currency.',
    fr: 'L’opérateur n’accepte pas cette devise.'
  },
  INVALID_COUNTRY: {
    en: 'The provider does not serve this country.',
    fr: 'L’opérateur ne sert pas ce pays.'
  },
  INVALID_PROVIDER: {
    en: 'The shop does not take this provider; please choose another one.',
    fr: 'La boutique n’accepte pas cet opérateur ; veuillez en choisir un autre.'
  },
  NOT_FOUND: {
    en: 'The payment to refund was not found.',
    fr: 'Le paiement à rembourser est introuvable.'
  },
  INVALID_STATE: {
    en: 'This payment cannot be refunded, because it is not complete.',
    fr: 'Ce paiement ne peut pas être remboursé, car il n’est pas terminé.'
  },
  DEPOSITS_NOT_ALLOWED: notNow,
  PAYOUTS_NOT_ALLOWED: notNow,
  REFUNDS_NOT_ALLOWED: notNow,
  REMITTANCES_NOT_ALLOWED: notNow,
  PARAMETER_INVALID: notNow,
  INVALID_INPUT: notNow
} as const satisfies Record<FailureCode | RejectionCode, CustomerText>

/** Codes of v1 that have another name in v2. */
export const v1Names = {
  BALANCE_INSUFFICIENT: 'PAWAPAY_WALLET_OUT_OF_FUNDS',
  RECIPIENT_NOT_ALLOWED_TO_RECEIVE: 'WALLET_LIMIT_REACHED',
  CORRESPONDENT_TEMPORARILY_UNAVAILABLE: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
  INVALID_CORRESPONDENT: 'INVALID_PROVIDER',
  INVALID_PAYER_FORMAT: 'INVALID_PHONE_NUMBER',
  INVALID_RECIPIENT_FORMAT: 'INVALID_PHONE_NUMBER',
  DEPOSIT_NOT_FOUND: 'NOT_FOUND',
  DEPOSIT_NOT_COMPLETED: 'INVALID_STATE',
  ALREADY_REFUNDED: 'DEPOSIT_ALREADY_REFUNDED',
  IN_PROGRESS: 'REFUND_IN_PROGRESS'
} as const satisfies Record<string, keyof typeof texts>

/** Codes of a request that only the shop can mend. */
const ofShop = [
  'PAYOUT_EXCEEDS_DEPOSIT',
  'SPLIT_PAYMENTS_NOT_ALLOWED',
  'INVALID_PARAMETER',
  'MISSING_PARAMETER',
  'UNSUPPORTED_PARAMETER',
  'DUPLICATE_METADATA_FIELD',
  'AUTHENTICATION_ERROR',
  'AUTHORISATION_ERROR',
  'HTTP_SIGNATURE_ERROR',
  'NO_AUTHENTICATION'
]

export const customerTexts: Readonly<Record<string, CustomerText>> = {
  ...texts,
  ...Object.fromEntries(ofShop.map((code) => [code, notNow])),
  ...Object.fromEntries(Object.entries(v1Names).map(([name, code]) => [name, texts[code]]))
}

/** Returns the sentences of a code; those of an unknown one for a code that nobody knows. */
export function customerText (code: string): CustomerText {
  return Object.hasOwn(customerTexts, code) ? customerTexts[code] : unknown
}
