import type { KindNameIn } from '../../domain/kinds.ts'
import { answers } from './answers.ts'
import { deposit } from './deposit.ts'
import { finances } from './finances.ts'
import { page } from './payment-page.ts'
import { payout } from './payout.ts'
import { refund } from './refund.ts'
import { toolkit } from './toolkit.ts'
import type { Codec, Wire } from '../wire.ts'

/**
 * Version 1 of the API: paths without a prefix, correspondent, MSISDN, statementDescription,
 * SUBMITTED, rejectionReason and numbered errors.
 */
export const v1: Wire = {
  version: 'v1',
  can: { redirect: false, priceWithoutCountry: true },
  fieldNames: {
    provider: 'correspondent',
    phoneNumber: 'address.value',
    pageAmount: 'amount',
    pagePhoneNumber: 'msisdn'
  },
  prefix: '',
  walletPaths: ({ party }) => ({
    provider: 'correspondent',
    phoneNumber: `${party}.address.value`
  }),
  resendBy: 'body',
  codecs: { deposit, payout, refund } satisfies Record<KindNameIn<'v1'>, Codec>,
  page,
  answers,
  toolkit,
  finances
}
