import { kinds, type KindName } from '../../src/domain/kinds.ts'
import type { Version } from '../../src/domain/api-version.ts'
import { id } from './helper.ts'

/**
 * A valid request of each kind in each version, to be changed where a test wants it otherwise.
 */

type Request = Record<string, any>

const number = '260763456789'

/** Sender of every remittance in the tests. */
export const remittanceSender = {
  transactionDetails: {
    transactionReference: 'TX-1',
    originalAmount: '1.00',
    originalCurrency: 'EUR',
    buyFxRate: '1',
    senderFees: '0.10',
    purposeOfFunds: 'FAMILY_SUPPORT',
    sourceOfFunds: 'SALARY'
  },
  senderDetails: {
    firstName: 'Ada',
    lastName: 'Moyo',
    nationality: 'ZMB',
    phoneNumber: '4915112345678',
    address: {
      addressLine: 'Main Street 1',
      postalCode: '10115',
      city: 'Berlin',
      country: 'DEU'
    },
    identification: { type: 'PASSPORT', number: 'C01X00T47' },
    gender: 'FEMALE',
    dateOfBirth: '1990-01-31',
    placeOfBirth: 'ZMB',
    occupation: 'Engineer',
    relationshipRecipient: 'BORTHER_IN_LAW'
  }
}

export const requests: Record<Version, Partial<Record<KindName, () => Request>>> = {
  v2: {
    deposit: () => ({
      depositId: id(),
      amount: '15',
      currency: 'ZMW',
      payer: { type: 'MMO', accountDetails: { phoneNumber: number, provider: 'MTN_MOMO_ZMB' } },
      customerMessage: 'Order 1234',
      clientReferenceId: 'INV-1',
      metadata: [{ orderId: 'ORD-1' }, { customerId: 'c@example.com', isPII: true }]
    }),
    payout: () => ({
      payoutId: id(),
      amount: '15',
      currency: 'ZMW',
      recipient: { type: 'MMO', accountDetails: { phoneNumber: number, provider: 'MTN_MOMO_ZMB' } },
      customerMessage: 'Order 1234',
      clientReferenceId: 'INV-1',
      metadata: [{ orderId: 'ORD-1' }, { customerId: 'c@example.com', isPII: true }]
    }),
    refund: () => ({
      refundId: id(),
      depositId: id(),
      amount: '15',
      currency: 'ZMW',
      clientReferenceId: 'INV-1',
      metadata: [{ orderId: 'ORD-1' }, { customerId: 'c@example.com', isPII: true }]
    }),
    remittance: () => ({
      remittanceId: id(),
      amount: '15',
      currency: 'ZMW',
      recipient: {
        type: 'MMO',
        accountDetails: { phoneNumber: number, provider: 'MTN_MOMO_ZMB' },
        recipientDetails: { firstName: 'Mutale', lastName: 'Banda' }
      },
      sender: remittanceSender,
      customerMessage: 'Order 1234',
      metadata: [{ orderId: 'ORD-1' }]
    }),
    splitPayment: () => ({
      splitPaymentId: id(),
      amount: '15',
      currency: 'ZMW',
      payer: { type: 'MMO', accountDetails: { phoneNumber: number, provider: 'MTN_MOMO_ZMB' } },
      splits: [
        {
          payoutId: id(),
          amount: '10',
          recipient: {
            type: 'MMO',
            accountDetails: { phoneNumber: '260973456789', provider: 'AIRTEL_OAPI_ZMB' }
          }
        },
        {
          payoutId: id(),
          amount: '4.5',
          recipient: {
            type: 'MMO',
            accountDetails: { phoneNumber: number, provider: 'MTN_MOMO_ZMB' }
          },
          customerMessage: 'Your share'
        }
      ],
      customerMessage: 'Order 1234',
      clientReferenceId: 'INV-1',
      metadata: [{ orderId: 'ORD-1' }]
    })
  },
  v1: {
    deposit: () => ({
      depositId: id(),
      amount: '15',
      currency: 'ZMW',
      correspondent: 'MTN_MOMO_ZMB',
      payer: { type: 'MSISDN', address: { value: number } },
      customerTimestamp: '2026-01-31T11:59:59Z',
      statementDescription: 'Order 1234',
      metadata: [
        { fieldName: 'orderId', fieldValue: 'ORD-1' },
        { fieldName: 'customerId', fieldValue: 'c@example.com', isPII: true }
      ]
    }),
    payout: () => ({
      payoutId: id(),
      amount: '15',
      currency: 'ZMW',
      correspondent: 'MTN_MOMO_ZMB',
      recipient: { type: 'MSISDN', address: { value: number } },
      customerTimestamp: '2026-01-31T11:59:59Z',
      statementDescription: 'Order 1234',
      metadata: [
        { fieldName: 'orderId', fieldValue: 'ORD-1' },
        { fieldName: 'customerId', fieldValue: 'c@example.com', isPII: true }
      ]
    }),
    refund: () => ({
      refundId: id(),
      depositId: id(),
      amount: '15',
      metadata: [{ fieldName: 'orderId', fieldValue: 'ORD-1' }]
    })
  }
}

/** A request with one field changed, added or (undefined) taken away; a path is dotted. */
export function but (request: Request, path: string, value?: unknown): Request {
  const copy = structuredClone(request)
  const keys = path.split('.')
  const last = keys.pop() as string
  const holder = keys.reduce((object, key) => object[key], copy)
  if (value === undefined) delete holder[last]
  else holder[last] = value
  return copy
}

export const prefix: Record<Version, string> = { v1: '', v2: '/v2' }

/** Initiations of every kind, in every version that has it. */
export const initiations = (['v2', 'v1'] as const).flatMap((version) =>
  Object.entries(requests[version]).map(([name, make]) => {
    const kind = kinds[name as KindName]
    return { version, kind, make: make!, path: `${prefix[version]}/${kind.path}` }
  })
)
