/** Forms by the plural category of the language. */
export type TextForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

/** Texts of the customer pages in English. */
export const en = {
  language: 'Language',
  skip: 'Skip to the content',
  payTo: 'Pay {company}',
  payButton: 'Pay {amount}',
  payButtonFree: 'Pay',
  reason: 'For',
  amount: 'Amount',
  amountIn: 'Amount in {currency}',
  limits: 'between {min} and {max} {currency}',
  limitsWhole: 'between {min} and {max} {currency}, no decimals',
  limitsOf: '{provider}: {limits}',
  country: 'Country',
  changeCountry: 'Show providers',
  provider: 'Mobile money provider',
  currency: 'Currency',
  phoneNumber: 'Phone number',
  phoneHint: { one: '{digits} digit after +{prefix}', other: '{digits} digits after +{prefix}' },
  or: 'or',
  code: 'Payment code',
  codeHint: 'Only for {providers}: the one-time code that your provider gave you',
  predicted: 'This is a number of {provider}.',
  notOffered: 'The provider of this number cannot be used here. Please choose one of these.',
  noOffers: 'No provider can take this payment at the moment. Please come back later.',
  notPredicted: 'We do not know whose number this is. Please choose the provider.',
  secondsLeft: 'Time left',
  expiresAt: 'Open until {time}',
  cancel: 'Cancel the payment',
  giveUp: 'Back to {company} without paying',
  attempts: 'Attempts so far',
  attemptLine: '{amount} from +{phone} with {provider}',
  tryAgain: 'Please try again, or use another wallet.',

  waitTitle: 'Confirm on your phone',
  waitText: '{provider} asks for your PIN on +{phone}. Enter it to pay {amount} to {company}.',
  waitManual: 'If you see no prompt, bring it up yourself:',
  sendingTitle: 'Starting the payment',
  sendingText: '{provider} is asked to collect {amount} from +{phone}.',
  checkingTitle: 'Checking the payment',
  checkingText:
    '{provider} has not told us yet how it ended. This page shows it as soon as we know.',
  goTitle: 'Continue with {provider}',
  goText: '{provider} asks you to authorise the payment of {amount} on its own page.',
  goButton: 'Continue to {provider}',
  overTimeTitle: 'The time is up, and a payment is still on its way',
  overTimeText:
    'No other attempt can be made here. {provider} has not told us yet whether {amount} was ' +
    'paid; {company} hears of it as soon as it is known. You need not wait.',

  completedTitle: 'Payment complete',
  completedText: 'You paid {amount} to {company}.',
  failedTitle: 'Payment failed',
  failedText: 'No money was taken.',
  expiredTitle: 'This page has expired',
  expiredText: {
    one:
      'It was open for {minutes} minute. No money was taken. Go back to the shop and start ' +
      'again.',
    other:
      'It was open for {minutes} minutes. No money was taken. Go back to the shop and start again.'
  },
  checkoutExpiredTitle: 'The time is up',
  checkoutExpiredText:
    'This checkout is closed. No money was taken. Go back to {company} and start again.',
  cancelledTitle: 'Payment cancelled',
  cancelledText: 'You gave this payment up. No money was taken.',
  back: 'Back to {company}',
  returning: 'You are taken back to {company}.',
  returningIn: {
    one: 'You are taken back to {company} in {seconds} second.',
    other: 'You are taken back to {company} in {seconds} seconds.'
  },

  authoriseTitle: 'Authorise a payment',
  authoriseText: '{company} asks for {amount} from your wallet +{phone}.',
  approve: 'Approve',
  decline: 'Decline',
  ignore: 'Ignore',
  approvedTitle: 'Payment approved',
  declinedTitle: 'Payment declined',

  phoneTitle: 'Phone +{phone}',
  prompts: 'Waiting for your answer',
  noPrompts: 'Nothing waits for an answer.',
  promptText: 'Pay {amount} to {company}?',
  messages: 'Messages',
  noMessages: 'No messages yet.',
  phoneAbout: 'Only what belongs to the page you came from is shown here, not the whole phone.',
  paidMessage: 'You paid {amount} to {company}. {message}Transaction {transaction}.',
  failedMessage: 'Your payment of {amount} to {company} failed. {message}{why}',
  receivedMessage: 'You received {amount} from {company}. {message}Transaction {transaction}.',

  problemTitle: 'This is not possible',
  missingTitle: 'There is nothing here',
  missingText:
    'The address is wrong, or it was replaced by a newer one. Go back to the shop and start again.',

  simulator: 'Simulator',
  simulatorText: 'This page belongs to a mock. No money moves.',
  openPhone: 'Open the phone +{phone}',
  outcomes: 'Pay as a customer who …',
  'outcome.happy-path': 'pays',
  'outcome.declined': 'declines',
  'outcome.not-approved': 'does not answer',
  'outcome.insufficient-balance': 'has too little money',
  'outcome.limit-reached': 'has reached the limit',
  'outcome.unknown-payer': 'has no wallet',
  'outcome.phone': 'decides on the phone page',
  testNumbers: 'Test numbers: click to fill in',
  twin: 'For JSON, request this URL with “Accept: application/json”.',
  detail: 'In detail',

  'state.ACCEPTED': 'Started',
  'state.PROCESSING': 'Waiting',
  'state.IN_RECONCILIATION': 'Being checked',
  'state.COMPLETED': 'Paid',
  'state.FAILED': 'Failed',

  checkFields: {
    one: 'Please correct the field that is marked below.',
    other: 'Please correct the {fields} fields that are marked below.'
  },
  'error.provider': 'Please choose a provider.',
  'error.phoneNumber': 'Please enter a phone number of {country}.',
  'error.amount': 'Please enter an amount, such as 15 or 15.50.',
  'error.currency': 'Please choose a currency.',
  'error.preAuthorisationCode': 'Please enter the payment code of your provider.',
  'error.BELOW_MINIMUM': 'The amount is smaller than this provider takes.',
  'error.ABOVE_MAXIMUM': 'The amount is larger than this provider takes.',
  'error.DECIMALS': 'This provider takes fewer decimals.',
  'error.PROVIDER_UNAVAILABLE':
    'This provider is not available at the moment. Please choose another.',
  'error.other': 'The payment could not be started. Please try again.'
}

/** Name of a text. */
export type TextName = keyof typeof en
