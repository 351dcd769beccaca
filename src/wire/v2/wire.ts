import type { KindNameIn } from '../../domain/kinds.ts'
import { answers } from './answers.ts'
import { checkout } from './checkout.ts'
import { deposit } from './deposit.ts'
import { finances } from './finances.ts'
import { page } from './payment-page.ts'
import { payout } from './payout.ts'
import { refund } from './refund.ts'
import { remittance } from './remittance.ts'
import { splitPayment } from './split-payment.ts'
import { toolkit } from './toolkit.ts'
import type { Codec, Wire } from '../wire.ts'

/**
 * Version 2 of the API: paths under /v2, provider and phoneNumber inside accountDetails,
 * failureReason everywhere.
 */
export const v2: Wire = {
  version: 'v2',
  can: { redirect: true, priceWithoutCountry: false },
  fieldNames: {
    provider: 'provider',
    phoneNumber: 'accountDetails.phoneNumber',
    pageAmount: 'amountDetails',
    pagePhoneNumber: 'phoneNumber'
  },
  prefix: '/v2',
  walletPaths: ({ party }) => ({
    provider: `${party}.accountDetails.provider`,
    phoneNumber: `${party}.accountDetails.phoneNumber`
  }),
  resendBy: 'path',
  codecs: { deposit, payout, refund, remittance, splitPayment, checkout } satisfies Record<
    KindNameIn<'v2'>,
    Codec
  >,
  page,
  answers,
  toolkit,
  finances
}
