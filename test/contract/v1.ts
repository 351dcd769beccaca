import type { Fields, Form, Kind, Operation, Shape } from './fields.ts'
import { availability, byStatus, extend, kinds, publicKeys } from './fields.ts'

/** The contract of v1: what each call answers, and what each callback says. */

type V1Kind = Extract<Kind, 'deposit' | 'payout' | 'refund'>
const v1Kinds: readonly V1Kind[] = ['deposit', 'payout', 'refund']

/** Codes of accepted payments that failed. */
const failures: Record<V1Kind, readonly string[]> = {
  deposit: [
    'PAYER_NOT_FOUND',
    'PAYMENT_NOT_APPROVED',
    'PAYER_LIMIT_REACHED',
    'INSUFFICIENT_BALANCE',
    'TRANSACTION_ALREADY_IN_PROCESS',
    'OTHER_ERROR'
  ],
  payout: [
    'BALANCE_INSUFFICIENT',
    'RECIPIENT_NOT_FOUND',
    'RECIPIENT_NOT_ALLOWED_TO_RECEIVE',
    'RECIPIENT_LIMIT_REACHED',
    'MANUALLY_CANCELLED',
    'OTHER_ERROR'
  ],
  refund: [
    'BALANCE_INSUFFICIENT',
    'RECIPIENT_NOT_FOUND',
    'RECIPIENT_NOT_ALLOWED_TO_RECEIVE',
    // Refunds of v2 can be cancelled, and read in v1.
    'MANUALLY_CANCELLED',
    'OTHER_ERROR'
  ]
}

/** Codes of requests that are rejected. */
const ofEach = [
  'INVALID_CORRESPONDENT',
  'INVALID_AMOUNT',
  'AMOUNT_TOO_SMALL',
  'AMOUNT_TOO_LARGE',
  'INVALID_CURRENCY',
  'INVALID_COUNTRY',
  'PARAMETER_INVALID',
  'INVALID_INPUT',
  'CORRESPONDENT_TEMPORARILY_UNAVAILABLE'
]
const rejections: Record<V1Kind, readonly string[]> = {
  deposit: [...ofEach, 'INVALID_PAYER_FORMAT', 'DEPOSITS_NOT_ALLOWED'],
  payout: [
    ...ofEach,
    'INVALID_RECIPIENT_FORMAT',
    'BALANCE_INSUFFICIENT',
    'PAYOUTS_NOT_ALLOWED'
  ],
  refund: [
    ...ofEach,
    'DEPOSIT_NOT_FOUND',
    'DEPOSIT_NOT_COMPLETED',
    'ALREADY_REFUNDED',
    'IN_PROGRESS',
    'BALANCE_INSUFFICIENT',
    'REFUNDS_NOT_ALLOWED'
  ]
}

/** An error of any call. The number says which HTTP status it has. */
const error = (errorCode: 'is0' | 'is1' | 'is2' | 'is3'): Form => ({
  must: { errorId: 'uuid', errorCode, errorMessage: 'some' }
})
const errors: Record<string, Form> = {
  '4XX': error('is1'),
  401: error('is2'),
  403: error('is3'),
  // Limits of rates are nowhere described. A server that is told to answer so answers as with 5XX.
  429: error('is0'),
  '5XX': error('is0')
}

const party: Shape = { must: { type: ['MSISDN'], address: { must: { value: 'phoneNumber' } } } }

const record = (kind: V1Kind, own: Fields): Shape => ({
  must: {
    [kinds[kind].idField]: 'uuid',
    currency: 'currency',
    country: 'country',
    correspondent: 'provider',
    statementDescription: 'message',
    customerTimestamp: 'dateTime',
    created: 'timestamp',
    ...own
  },
  may: { metadata: { map: 'text' } }
})

const failed = (kind: V1Kind): Fields => ({
  failureReason: { must: { failureCode: failures[kind], failureMessage: 'some' } }
})
const paid: Fields = { correspondentIds: { map: 'some' } }
const suspicion: Fields = {
  suspiciousActivityReport: { list: { must: { activityType: 'some', comment: 'some' } } }
}

const open: Record<V1Kind, Shape> = {
  deposit: extend(record('deposit', { requestedAmount: 'amount', payer: party }), {}, suspicion),
  payout: record('payout', { amount: 'amount', recipient: party }),
  refund: record('refund', { amount: 'amount', recipient: party })
}
const completed: Record<V1Kind, Fields> = {
  deposit: { ...paid, depositedAmount: 'amount', respondedByPayer: 'timestamp' },
  payout: { ...paid, receivedByRecipient: 'timestamp' },
  refund: { ...paid, receivedByRecipient: 'timestamp' }
}

/** Records that a callback tells of. */
const ended = (kind: V1Kind): Array<[string[], Shape]> => [
  [['COMPLETED'], extend(open[kind], completed[kind])],
  [['FAILED'], extend(open[kind], failed(kind))]
]

const recordOf = (kind: V1Kind): Form =>
  byStatus(
    [['ACCEPTED', 'SUBMITTED', ...(kind === 'deposit' ? [] : ['ENQUEUED'])], open[kind]],
    ...ended(kind)
  )

/** Callbacks, by the name of the identifier that they begin with. */
export const callbacks: Record<string, Form> = Object.fromEntries(
  v1Kinds.map((kind) => [kinds[kind].idField, byStatus(...ended(kind))])
)

const initiation = (kind: V1Kind): Form => {
  const { idField } = kinds[kind]
  const taken: Shape = { must: { [idField]: 'uuid', created: 'timestamp' } }
  const rejectionReason: Form = {
    must: { rejectionCode: rejections[kind], rejectionMessage: 'some' }
  }
  return byStatus(
    [['ACCEPTED', 'DUPLICATE_IGNORED', ...(kind === 'payout' ? ['ENQUEUED'] : [])], taken],
    [['REJECTED'], { must: { rejectionReason }, may: { [idField]: 'echo' } }]
  )
}

/** A payment that is resent or cancelled. Here the reason is a sentence. */
const action = (kind: V1Kind): Form => {
  const { idField } = kinds[kind]
  return byStatus(
    [['ACCEPTED'], { must: { [idField]: 'uuid' } }],
    [['REJECTED', 'FAILED'], { must: { [idField]: 'echo', rejectionReason: 'some' } }]
  )
}

const post = (path: string, answer: Form): Operation => ({
  method: 'POST',
  path,
  answers: { 200: answer, ...errors }
})
const get = (path: string, answer: Form): Operation => ({
  method: 'GET',
  path,
  answers: { 200: answer, ...errors }
})

const operationsOf = (kind: V1Kind): Operation[] => {
  const path = `/${kinds[kind].path}`
  return [
    post(path, initiation(kind)),
    get(`${path}/{id}`, { list: recordOf(kind), atMost: 1 }),
    post(`${path}/resend-callback`, action(kind))
  ]
}

const activeConfiguration: Form = {
  must: {
    merchantId: 'some',
    merchantName: 'some',
    countries: {
      list: {
        must: {
          country: 'country',
          correspondents: {
            list: {
              must: {
                correspondent: 'provider',
                currency: 'currency',
                ownerName: 'some',
                operationTypes: {
                  list: {
                    must: {
                      operationType: ['DEPOSIT', 'PAYOUT', 'REFUND'],
                      minTransactionLimit: 'amount',
                      maxTransactionLimit: 'amount'
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

const available: Form = {
  list: {
    must: {
      country: 'country',
      correspondents: {
        list: {
          must: {
            correspondent: 'provider',
            operationTypes: {
              list: { must: { operationType: ['DEPOSIT', 'PAYOUT'], status: availability } }
            }
          }
        }
      }
    }
  }
}

const balances: Form = {
  must: {
    balances: {
      list: { must: { country: 'country', balance: 'amount', currency: 'currency', mno: 'text' } }
    }
  }
}

const page: Form = { must: { redirectUrl: 'url' } }
const pageRejected = byStatus([
  ['REJECTED'],
  {
    must: {
      rejectionReason: { must: { rejectionCode: rejections.deposit, rejectionMessage: 'some' } }
    },
    may: { depositId: 'echo' }
  }
])

/** Answers of a path that does not exist, or that is no path. */
export const missing: Record<string, Form> = { 400: error('is1'), 404: error('is1') }

/** Every call. */
export const operations: Operation[] = [
  ...v1Kinds.flatMap(operationsOf),
  post('/payouts/bulk', { list: initiation('payout'), atLeast: 1, atMost: 20 }),
  post('/payouts/fail-enqueued/{id}', action('payout')),
  {
    method: 'POST',
    path: '/v1/widget/sessions',
    answers: { 200: pageRejected, 201: page, ...errors }
  },
  get('/active-conf', activeConfiguration),
  get('/availability', available),
  post('/v1/predict-correspondent', {
    must: { country: 'country', operator: 'some', correspondent: 'provider', msisdn: 'phoneNumber' }
  }),
  get('/public-key/http', publicKeys),
  get('/v1/wallet-balances', balances),
  get('/v1/wallet-balances/{country}', balances)
]
