import type { Fields, Form, Kind, Operation, Shape } from './fields.ts'
import { availability, byStatus, extend, kinds, publicKeys } from './fields.ts'

/** The contract of v2: what each call answers, and what each callback says. */

/** Codes of accepted payments that failed. */
const always = ['WALLET_LIMIT_REACHED', 'UNSPECIFIED_FAILURE', 'UNKNOWN_ERROR', 'OTHER_ERROR']
const outgoing = [
  ...always,
  'RECIPIENT_NOT_FOUND',
  'RECIPIENT_LIMIT_REACHED',
  'MANUALLY_CANCELLED',
  'PAWAPAY_WALLET_OUT_OF_FUNDS'
]
const depositFailures = [
  ...always,
  'PAYMENT_NOT_APPROVED',
  'INSUFFICIENT_BALANCE',
  'PAYMENT_IN_PROGRESS',
  'PAYER_NOT_FOUND',
  'PAYER_LIMIT_REACHED',
  'TRANSACTION_ALREADY_IN_PROCESS'
]
const failures: Record<Kind, readonly string[]> = {
  deposit: depositFailures,
  payout: outgoing,
  refund: [...outgoing, 'DEPOSIT_ALREADY_REFUNDED', 'AMOUNT_TOO_LARGE', 'REFUND_IN_PROGRESS'],
  remittance: outgoing,
  splitPayment: [...depositFailures, ...outgoing],
  checkout: depositFailures
}

/** Codes of requests that are rejected with the HTTP status 200. */
const ofEach = [
  'PROVIDER_TEMPORARILY_UNAVAILABLE',
  'INVALID_PHONE_NUMBER',
  'INVALID_CURRENCY',
  'INVALID_AMOUNT',
  'AMOUNT_OUT_OF_BOUNDS',
  'INVALID_PROVIDER'
]
const ofOutgoing = [...ofEach, 'PAWAPAY_WALLET_OUT_OF_FUNDS']
const rejections: Record<Kind, readonly string[]> = {
  deposit: ofEach,
  payout: ofOutgoing,
  refund: [
    ...ofOutgoing,
    'NOT_FOUND',
    'INVALID_STATE',
    'AMOUNT_TOO_LARGE',
    'DEPOSIT_ALREADY_REFUNDED',
    'REFUND_IN_PROGRESS'
  ],
  remittance: ofOutgoing,
  splitPayment: [...ofOutgoing, 'PAYOUT_EXCEEDS_DEPOSIT'],
  checkout: ofEach
}

/** Codes of requests that are refused with another HTTP status. */
const refusals = {
  400: [
    'INVALID_INPUT',
    'MISSING_PARAMETER',
    'INVALID_PARAMETER',
    'UNSUPPORTED_PARAMETER',
    'DUPLICATE_METADATA_FIELD'
  ],
  401: ['AUTHENTICATION_ERROR', 'HTTP_SIGNATURE_ERROR', 'NO_AUTHENTICATION'],
  403: ['AUTHORISATION_ERROR', 'AUTHENTICATION_ERROR'],
  404: ['NOT_FOUND'],
  413: ['INVALID_INPUT'],
  // Limits of rates are nowhere described. A server that is told to answer so answers as with 5XX.
  429: ['UNKNOWN_ERROR'],
  '5XX': ['UNKNOWN_ERROR']
} as const
const notAllowed: Partial<Record<Kind, string>> = {
  deposit: 'DEPOSITS_NOT_ALLOWED',
  payout: 'PAYOUTS_NOT_ALLOWED',
  refund: 'REFUNDS_NOT_ALLOWED',
  remittance: 'REMITTANCES_NOT_ALLOWED',
  splitPayment: 'SPLIT_PAYMENTS_NOT_ALLOWED',
  checkout: 'DEPOSITS_NOT_ALLOWED'
}

const reason = (codes: readonly string[]): Shape => ({
  must: { failureCode: codes, failureMessage: 'some' }
})

const accountDetails = { must: { phoneNumber: 'phoneNumber', provider: 'provider' } } as const
const party: Shape = { must: { type: ['MMO'], accountDetails } }

/** Fields of each record. */
const record = (kind: Kind, own: Fields): Shape => ({
  must: {
    [kinds[kind].idField]: 'uuid',
    amount: 'amount',
    currency: 'currency',
    country: 'country',
    customerMessage: 'message',
    created: 'timestamp',
    ...own
  },
  may: { clientReferenceId: 'text', metadata: { map: 'text' } }
})

const paid: Fields = { providerTransactionId: 'some' }
const failed = (kind: Kind): Fields => ({ failureReason: reason(failures[kind]) })

/** Fields of a deposit whose customer authorises it on a page of the provider. */
const returns: Fields = { successfulUrl: 'url', failedUrl: 'url' }
const redirected: Fields = {
  nextStep: ['REDIRECT_TO_AUTH_URL'],
  authorizationUrl: 'url',
  ...returns
}

const depositRecord = record('deposit', { payer: party })
const deposit = {
  ACCEPTED: extend(depositRecord, {}, { nextStep: ['GET_AUTH_URL'], ...returns }),
  PROCESSING: extend(depositRecord, {}, redirected),
  IN_RECONCILIATION: extend(depositRecord, {}, redirected),
  COMPLETED: extend(depositRecord, paid, returns),
  FAILED: extend(depositRecord, failed('deposit'), returns)
}

/** Records of payments that pay money out. */
const sent = (kind: Kind, own: Fields): Record<string, Shape> => {
  const open = record(kind, own)
  return {
    ACCEPTED: open,
    ENQUEUED: open,
    PROCESSING: open,
    IN_RECONCILIATION: open,
    COMPLETED: extend(open, paid),
    FAILED: extend(open, failed(kind))
  }
}

const names: Fields = { firstName: 'some', lastName: 'some' }
const sender: Shape = {
  must: {
    transactionDetails: {
      must: {
        transactionReference: 'some',
        originalAmount: 'amount',
        originalCurrency: 'currency',
        buyFxRate: 'decimal',
        senderFees: 'amount',
        purposeOfFunds: [
          'FAMILY_SUPPORT',
          'MEDICAL_EXPENSES',
          'TUITION_FEES',
          'EDUCATION_SUPPORT',
          'GIFT_AND_OTHER_DONATIONS',
          'HOME_IMPROVEMENT',
          'DEBT_SETTLEMENT',
          'REAL_ESTATE',
          'TAXES',
          'SALARY',
          'SAVINGS',
          'PERSONAL_TRANSFER',
          'OTHER'
        ],
        sourceOfFunds: [
          'SALARY',
          'SAVINGS',
          'LOTTERY',
          'LOAN',
          'BUSINESS_INCOME',
          'GIFT',
          'OTHER'
        ]
      }
    },
    senderDetails: {
      must: {
        ...names,
        nationality: 'country',
        phoneNumber: 'digits',
        address: {
          must: { addressLine: 'some', postalCode: 'some', city: 'some', country: 'country' }
        },
        identification: {
          must: {
            type: [
              'NATIONAL_ID',
              'PASSPORT',
              'DRIVING_LICENSE',
              'SOCIAL_SECURITY_ID',
              'RESIDENCE_PERMIT'
            ],
            number: 'some'
          }
        }
      },
      may: {
        gender: ['MALE', 'FEMALE', 'OTHER'],
        dateOfBirth: 'date',
        placeOfBirth: 'country',
        occupation: 'some',
        relationshipRecipient: [
          'FATHER',
          'MOTHER',
          'SON',
          'DAUGHTER',
          'BROTHER',
          'SISTER',
          'HUSBAND',
          'WIFE',
          'PARTNER',
          'FRIEND',
          'AUNT',
          'UNCLE',
          'COUSIN',
          'NEPHEW',
          'NIECE',
          'GRANDFATHER',
          'GRANDMOTHER',
          'GRANDSON',
          'GRANDDAUGHTER',
          'STEPCHILD',
          'DAUGHTER_IN_LAW',
          'SON_IN_LAW',
          // The service spells one of them wrongly.
          'BORTHER_IN_LAW',
          'BROTHER_IN_LAW',
          'SISTER_IN_LAW',
          'MOTHER_IN_LAW',
          'GUARDIAN',
          'SELF'
        ]
      }
    }
  }
}

/** The payouts of a split payment. A failed one need not say why. */
const openSplit: Shape = { must: { payoutId: 'uuid', amount: 'amount', recipient: party } }
const split = byStatus(
  [['ACCEPTED', 'ENQUEUED', 'PROCESSING', 'IN_RECONCILIATION', 'COMPLETED'], openSplit],
  [['FAILED'], extend(openSplit, {}, failed('payout'))]
)
const splitRecord = record('splitPayment', { payer: party, splits: { list: split, atLeast: 1 } })
const splitPayment = {
  ACCEPTED: splitRecord,
  PROCESSING: splitRecord,
  COMPLETED: extend(splitRecord, {}, paid),
  PAYOUT_FAILED: extend(splitRecord, {}, failed('splitPayment')),
  FAILED: extend(splitRecord, failed('splitPayment'))
}

/** An attempt to pay a checkout. One that is reconciled shows as PROCESSING. */
const openAttempt: Shape = { ...depositRecord, may: { metadata: { map: 'text' } } }
const attempt = byStatus(
  [['ACCEPTED', 'PROCESSING'], openAttempt],
  [['COMPLETED'], extend(openAttempt, paid)],
  [['FAILED'], extend(openAttempt, failed('deposit'))]
)
const checkoutRecord: Shape = {
  must: {
    checkoutId: 'uuid',
    redirectUrl: 'url',
    returnUrl: 'url',
    returnMethod: ['INSTANT', 'COUNTDOWN', 'CUSTOMER_ACTION'],
    countries: { list: 'country' },
    expiresAfter: 'wholeNumber',
    amounts: { list: { must: { country: 'country', currency: 'currency', amount: 'amount' } } },
    created: 'timestamp',
    depositsHistory: { list: attempt },
    checkoutCode: 'some'
  },
  may: {
    defaultLanguage: 'language',
    payer: {
      must: {
        type: ['MMO'],
        accountDetails: {
          must: { allowCustomerToOverride: 'boolean' },
          may: { phoneNumber: 'phoneNumber', provider: 'provider' }
        }
      }
    },
    clientReferenceId: 'text',
    metadata: { map: 'text' },
    reason: { map: 'message' }
  }
}
const latest = (...statuses: string[]): Fields => ({ depositStatus: statuses, deposit: attempt })
const checkout = {
  WAITING_PAYMENT: extend(checkoutRecord, {}, latest('FAILED')),
  PROCESSING: extend(checkoutRecord, latest('ACCEPTED', 'PROCESSING')),
  COMPLETED: extend(checkoutRecord, { ...latest('COMPLETED'), ...paid }),
  FAILED: extend(checkoutRecord, failed('checkout'), latest('FAILED')),
  EXPIRED: extend(checkoutRecord, {}, latest('FAILED')),
  CANCELLED: extend(checkoutRecord, {}, latest('FAILED'))
}

/** The record of each kind in each of its statuses. */
const records: Record<Kind, Record<string, Shape>> = {
  deposit,
  payout: sent('payout', { recipient: party }),
  refund: sent('refund', { recipient: party }),
  remittance: sent('remittance', {
    recipient: extend(party, { recipientDetails: { must: names } }),
    sender
  }),
  splitPayment,
  checkout
}

const openStatement: Shape = {
  must: {
    statementId: 'uuid',
    wallet: { must: { country: 'country', currency: 'currency' }, may: { provider: 'text' } },
    created: 'timestamp',
    startDate: 'statementTime',
    endDate: 'statementTime'
  }
}
const statement = byStatus(
  [['ACCEPTED', 'PROCESSING'], openStatement],
  [
    ['COMPLETED'],
    extend(openStatement, {
      fileSize: 'wholeNumber',
      downloadUrl: 'url',
      downloadUrlExpiresAt: 'timestamp',
      completedAt: 'timestamp'
    })
  ],
  [
    ['FAILED'],
    extend(openStatement, { failedAt: 'timestamp', failureReason: reason(['UNKNOWN_ERROR']) })
  ]
)

/** Statuses that a callback tells of. Only a deposit that redirects tells of PROCESSING. */
const toldStatuses: Record<Kind, readonly string[]> = {
  deposit: ['COMPLETED', 'FAILED'],
  payout: ['COMPLETED', 'FAILED'],
  refund: ['COMPLETED', 'FAILED'],
  remittance: ['COMPLETED', 'FAILED'],
  splitPayment: ['COMPLETED', 'PAYOUT_FAILED', 'FAILED'],
  checkout: ['COMPLETED', 'FAILED', 'EXPIRED', 'CANCELLED']
}

const told = (kind: Kind): Form =>
  byStatus(
    ...toldStatuses[kind].map((status): [string[], Shape] => [[status], records[kind][status]]),
    ...(kind === 'deposit'
      ? [[['PROCESSING'], extend(depositRecord, redirected)] as [string[], Shape]]
      : [])
  )

/** Callbacks, by the name of the identifier that they begin with. */
export const callbacks: Record<string, Form> = {
  ...Object.fromEntries(
    (Object.keys(kinds) as Kind[]).map((kind) => [kinds[kind].idField, told(kind)])
  ),
  statementId: statement
}

/** Refusals of calls about payments: with the identifier, if there was one to echo. */
const refusalsOf = (kind: Kind | undefined, more: readonly string[] = []): Record<string, Form> => {
  const id: Fields = kind === undefined ? {} : { [kinds[kind].idField]: 'echo' }
  const allowed = kind === undefined ? undefined : notAllowed[kind]
  return Object.fromEntries(
    Object.entries(refusals).map(([status, words]) => {
      const codes = [
        ...words,
        ...(status === '400' ? more : []),
        ...(status === '403' && allowed !== undefined ? [allowed] : [])
      ]
      const must: Fields = { failureReason: reason(codes) }
      if (status !== '5XX' && status !== '429') must.status = ['REJECTED']
      return [status, { must, may: id }]
    })
  )
}

/** Refusals of the toolkit and of balances, which have no status. */
const bare: Record<string, Form> = Object.fromEntries(
  Object.entries(refusals).map(([status, codes]) => [
    status,
    { must: { failureReason: reason(codes) } }
  ])
)

const initiation = (kind: Kind, more: readonly string[] = []): Form => {
  const { idField } = kinds[kind]
  const address: Fields = { redirectUrl: 'url', expiresAt: 'timestamp', checkoutCode: 'some' }
  const accepted: Fields = { [idField]: 'uuid', created: 'timestamp' }
  const refused: Shape = {
    must: { failureReason: reason([...rejections[kind], ...more]) },
    may: { [idField]: 'echo' }
  }
  if (kind === 'checkout') Object.assign(accepted, address)
  const nextStep: Fields = kind === 'deposit' ? { nextStep: ['FINAL_STATUS', 'GET_AUTH_URL'] } : {}
  return byStatus(
    [['ACCEPTED'], { must: { ...accepted, ...nextStep } }],
    [['DUPLICATE_IGNORED'], { must: accepted }],
    [['REJECTED'], refused]
  )
}

/** A payment that is resent or cancelled. */
const action = (kind: Kind): Form => {
  const { idField } = kinds[kind]
  return byStatus(
    [['ACCEPTED'], { must: { [idField]: 'uuid' } }],
    [
      ['REJECTED'],
      { must: { [idField]: 'echo', failureReason: reason(['NOT_FOUND', 'INVALID_STATE']) } }
    ]
  )
}

const found = (data: Form): Form =>
  byStatus([['FOUND'], { must: { data } }], [['NOT_FOUND'], { must: {} }])

const bulk: readonly Kind[] = ['payout', 'remittance']
const resent: readonly Kind[] = ['deposit', 'payout', 'refund', 'remittance']
const cancelled: readonly Kind[] = ['payout', 'refund', 'remittance']

function operationsOf (kind: Kind): Operation[] {
  const path = `/v2/${kinds[kind].path}`
  const refused = refusalsOf(kind)
  const post = (path: string, answer: Form): Operation => ({
    method: 'POST',
    path,
    answers: { 200: answer, ...refused }
  })
  const eachOf = [...refusals[400], ...refusals[403], notAllowed[kind] ?? '', ...refusals['5XX']]
  return [
    post(path, initiation(kind)),
    {
      method: 'GET',
      path: `${path}/{id}`,
      answers: { 200: found({ byStatus: records[kind] }), ...refused }
    },
    ...(bulk.includes(kind)
      ? [post(`${path}/bulk`, { list: initiation(kind, eachOf), atLeast: 1, atMost: 20 })]
      : []),
    ...(resent.includes(kind) ? [post(`${path}/resend-callback/{id}`, action(kind))] : []),
    ...(cancelled.includes(kind) ? [post(`${path}/fail-enqueued/{id}`, action(kind))] : [])
  ]
}

const expiry: Form = {
  must: {
    checkoutId: 'uuid',
    status: ['PROCESSING', 'COMPLETED', 'FAILED', 'EXPIRED', 'CANCELLED'],
    expiredAt: 'timestamp'
  },
  may: { reason: ['MANUAL_EXPIRY'], expiredBy: ['API'] }
}

const localised: Form = { must: { en: 'some', fr: 'some' } }
const steps: Form = { list: { must: { text: 'some', template: 'some' } } }
const instructions: Form = {
  must: {
    channels: {
      list: {
        must: {
          type: ['USSD', 'APP'],
          displayName: localised,
          variables: { map: 'text' },
          instructions: { must: { en: steps, fr: steps } }
        },
        may: { quickLink: 'some' }
      }
    }
  }
}
const operationType: Shape = {
  must: {
    minAmount: 'amount',
    maxAmount: 'amount',
    decimalsInAmount: ['NONE', 'TWO_PLACES'],
    status: availability
  },
  may: { callbackUrl: 'url' }
}
const depositType = extend(
  operationType,
  { authType: ['PROVIDER_AUTH', 'PREAUTH', 'REDIRECT_AUTH'] },
  {
    pinPrompt: ['AUTOMATIC', 'MANUAL'],
    pinPromptRevivable: 'boolean',
    pinPromptInstructions: instructions,
    authTokenInstructions: instructions
  }
)
const activeConfiguration: Form = {
  must: {
    companyName: 'some',
    signatureConfiguration: {
      must: { signedRequestsOnly: 'boolean', signedCallbacks: 'boolean' }
    },
    countries: {
      list: {
        must: {
          country: 'country',
          displayName: localised,
          prefix: 'digits',
          flag: 'url',
          providers: {
            list: {
              must: {
                provider: 'provider',
                displayName: 'some',
                logo: 'url',
                currencies: {
                  list: {
                    must: {
                      currency: 'currency',
                      displayName: 'some',
                      operationTypes: {
                        must: {},
                        may: {
                          DEPOSIT: depositType,
                          PAYOUT: operationType,
                          REFUND: operationType,
                          REMITTANCE: operationType
                        }
                      }
                    }
                  }
                }
              },
              may: { nameDisplayedToCustomer: 'some' }
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
      providers: {
        list: {
          must: {
            provider: 'provider',
            operationTypes: {
              must: {},
              may: {
                DEPOSIT: availability,
                PAYOUT: availability,
                REFUND: availability,
                REMITTANCE: availability
              }
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
      list: {
        must: { country: 'country', balance: 'amount', currency: 'currency', provider: 'text' }
      }
    }
  }
}

const page: Form = { must: { redirectUrl: 'url' } }
const pageRejected = byStatus([
  ['REJECTED'],
  { must: { failureReason: reason(rejections.deposit) }, may: { depositId: 'echo' } }
])

/** Answers of a path that does not exist, or that is no path. */
export const missing: Record<string, Form> = {
  400: { must: { status: ['REJECTED'], failureReason: reason(['INVALID_INPUT']) } },
  404: { must: { status: ['REJECTED'], failureReason: reason(['NOT_FOUND']) } }
}

/** Every call. */
export const operations: Operation[] = [
  ...(Object.keys(kinds) as Kind[]).flatMap(operationsOf),
  {
    method: 'POST',
    path: '/v2/checkouts/{id}/expire',
    answers: { 200: expiry, ...refusalsOf('checkout') }
  },
  {
    method: 'POST',
    path: '/v2/paymentpage',
    answers: { 200: pageRejected, 201: page, ...refusalsOf('deposit') }
  },
  {
    method: 'GET',
    path: '/v2/active-conf',
    answers: { 200: activeConfiguration, ...bare }
  },
  { method: 'GET', path: '/v2/availability', answers: { 200: available, ...bare } },
  {
    method: 'POST',
    path: '/v2/predict-provider',
    answers: {
      200: { must: { country: 'country', provider: 'provider', phoneNumber: 'phoneNumber' } },
      ...bare
    }
  },
  { method: 'GET', path: '/v2/public-key/http', answers: { 200: publicKeys, ...bare } },
  { method: 'GET', path: '/v2/wallet-balances', answers: { 200: balances, ...bare } },
  {
    method: 'POST',
    path: '/v2/statements',
    answers: {
      200: { must: { statementId: 'uuid', status: ['ACCEPTED'], created: 'timestamp' } },
      ...refusalsOf(undefined, ['INVALID_CALLBACK_URL', 'INVALID_DATE_RANGE', 'WALLET_NOT_FOUND'])
    }
  },
  {
    method: 'GET',
    path: '/v2/statements/{id}',
    answers: { 200: found(statement), ...refusalsOf(undefined) }
  }
]
