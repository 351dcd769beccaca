/**
 * Texts that customers read, in both languages. `{name}` is the place of a value. A text with a
 * count has one form for each plural form of its language.
 */

export const languages = ['en', 'fr'] as const
export type Language = (typeof languages)[number]

/** Forms by the plural category of the language. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

const en = {
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
  testNumbers: 'Test numbers',
  twin: 'The same as JSON: ask for this address with “Accept: application/json”.',
  detail: 'In detail',

  'state.ACCEPTED': 'Started',
  'state.PROCESSING': 'Waiting',
  'state.IN_RECONCILIATION': 'Being checked',
  'state.COMPLETED': 'Paid',
  'state.FAILED': 'Failed',

  'failure.PAYER_NOT_FOUND': 'This phone number has no wallet with the provider.',
  'failure.PAYMENT_NOT_APPROVED': 'The payment was not approved.',
  'failure.PAYER_LIMIT_REACHED': 'Your wallet has reached its limit.',
  'failure.WALLET_LIMIT_REACHED': 'Your wallet has reached its limit.',
  'failure.INSUFFICIENT_BALANCE': 'There is not enough money in your wallet.',
  'failure.PAYMENT_IN_PROGRESS': 'Another payment is waiting for your approval.',
  'failure.TRANSACTION_ALREADY_IN_PROCESS': 'Another payment is being processed.',
  'failure.UNSPECIFIED_FAILURE': 'The provider did not say why.',
  'failure.UNKNOWN_ERROR': 'We do not know why.',

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

export type TextName = keyof typeof en

const fr: { [Name in TextName]: (typeof en)[Name] extends string ? string : Forms } = {
  language: 'Langue',
  skip: 'Aller au contenu',
  payTo: 'Payer {company}',
  payButton: 'Payer {amount}',
  payButtonFree: 'Payer',
  reason: 'Pour',
  amount: 'Montant',
  amountIn: 'Montant en {currency}',
  limits: 'entre {min} et {max} {currency}',
  limitsWhole: 'entre {min} et {max} {currency}, sans décimales',
  limitsOf: '{provider} : {limits}',
  country: 'Pays',
  changeCountry: 'Afficher les opérateurs',
  provider: 'Opérateur de mobile money',
  currency: 'Devise',
  phoneNumber: 'Numéro de téléphone',
  phoneHint: {
    one: '{digits} chiffre après +{prefix}',
    other: '{digits} chiffres après +{prefix}'
  },
  or: 'ou',
  code: 'Code de paiement',
  codeHint: 'Seulement pour {providers} : le code à usage unique que votre opérateur vous a donné',
  predicted: 'Ce numéro est chez {provider}.',
  notOffered:
    'L’opérateur de ce numéro ne peut pas être utilisé ici. Veuillez en choisir un autre.',
  noOffers:
    'Aucun opérateur ne peut accepter ce paiement pour le moment. Veuillez revenir plus tard.',
  notPredicted: 'Nous ne savons pas chez qui est ce numéro. Veuillez choisir l’opérateur.',
  secondsLeft: 'Temps restant',
  expiresAt: 'Ouvert jusqu’à {time}',
  cancel: 'Annuler le paiement',
  attempts: 'Tentatives',
  attemptLine: '{amount} depuis +{phone} avec {provider}',
  tryAgain: 'Veuillez réessayer, ou utiliser un autre portefeuille.',

  waitTitle: 'Confirmez sur votre téléphone',
  waitText:
    '{provider} demande votre code PIN sur le +{phone}. Saisissez-le pour payer {amount} à ' +
    '{company}.',
  waitManual: 'Si rien ne s’affiche, lancez la demande vous-même :',
  sendingTitle: 'Le paiement commence',
  sendingText: 'Nous demandons à {provider} de prélever {amount} sur le +{phone}.',
  checkingTitle: 'Vérification du paiement',
  checkingText:
    '{provider} ne nous a pas encore dit comment il s’est terminé. Cette page l’affichera ' +
    'dès que nous le saurons.',
  goTitle: 'Continuer avec {provider}',
  goText: '{provider} vous demande d’autoriser le paiement de {amount} sur sa propre page.',
  goButton: 'Continuer vers {provider}',
  overTimeTitle: 'Le temps est écoulé et un paiement est encore en cours',
  overTimeText:
    'Aucune autre tentative n’est possible ici. {provider} ne nous a pas encore dit si ' +
    '{amount} ont été payés ; {company} le saura dès que possible. Inutile d’attendre.',

  completedTitle: 'Paiement effectué',
  completedText: 'Vous avez payé {amount} à {company}.',
  failedTitle: 'Le paiement a échoué',
  failedText: 'Rien n’a été prélevé.',
  expiredTitle: 'Cette page a expiré',
  expiredText: {
    one:
      'Elle était ouverte pendant {minutes} minute. Rien n’a été prélevé. Retournez à la ' +
      'boutique et recommencez.',
    other:
      'Elle était ouverte pendant {minutes} minutes. Rien n’a été prélevé. Retournez à la ' +
      'boutique et recommencez.'
  },
  checkoutExpiredTitle: 'Le temps est écoulé',
  checkoutExpiredText:
    'Cette page de paiement est fermée. Rien n’a été prélevé. Retournez chez {company} et ' +
    'recommencez.',
  cancelledTitle: 'Paiement annulé',
  cancelledText: 'Vous avez renoncé à ce paiement. Rien n’a été prélevé.',
  back: 'Retour à {company}',
  returning: 'Vous retournez chez {company}.',
  returningIn: {
    one: 'Vous retournez chez {company} dans {seconds} seconde.',
    other: 'Vous retournez chez {company} dans {seconds} secondes.'
  },

  authoriseTitle: 'Autoriser un paiement',
  authoriseText: '{company} demande {amount} depuis votre portefeuille +{phone}.',
  approve: 'Approuver',
  decline: 'Refuser',
  ignore: 'Ignorer',
  approvedTitle: 'Paiement approuvé',
  declinedTitle: 'Paiement refusé',

  phoneTitle: 'Téléphone +{phone}',
  prompts: 'En attente de votre réponse',
  noPrompts: 'Rien n’attend de réponse.',
  promptText: 'Payer {amount} à {company} ?',
  messages: 'Messages',
  noMessages: 'Pas encore de message.',
  phoneAbout:
    'Seul ce qui concerne la page d’où vous venez est affiché ici, pas tout le téléphone.',
  paidMessage: 'Vous avez payé {amount} à {company}. {message}Transaction {transaction}.',
  failedMessage: 'Votre paiement de {amount} à {company} a échoué. {message}{why}',
  receivedMessage: 'Vous avez reçu {amount} de {company}. {message}Transaction {transaction}.',

  problemTitle: 'Ce n’est pas possible',
  missingTitle: 'Il n’y a rien ici',
  missingText:
    'L’adresse est fausse, ou une plus récente l’a remplacée. Retournez à la boutique et ' +
    'recommencez.',

  simulator: 'Simulateur',
  simulatorText: 'Cette page est une imitation. Aucun argent ne circule.',
  openPhone: 'Ouvrir le téléphone +{phone}',
  testNumbers: 'Numéros de test',
  twin: 'La même chose en JSON : demandez cette adresse avec « Accept: application/json ».',
  detail: 'En détail',

  'state.ACCEPTED': 'Commencée',
  'state.PROCESSING': 'En attente',
  'state.IN_RECONCILIATION': 'En vérification',
  'state.COMPLETED': 'Payée',
  'state.FAILED': 'Échouée',

  'failure.PAYER_NOT_FOUND': 'Ce numéro n’a pas de portefeuille chez l’opérateur.',
  'failure.PAYMENT_NOT_APPROVED': 'Le paiement n’a pas été approuvé.',
  'failure.PAYER_LIMIT_REACHED': 'Votre portefeuille a atteint sa limite.',
  'failure.WALLET_LIMIT_REACHED': 'Votre portefeuille a atteint sa limite.',
  'failure.INSUFFICIENT_BALANCE': 'Il n’y a pas assez d’argent dans votre portefeuille.',
  'failure.PAYMENT_IN_PROGRESS': 'Un autre paiement attend votre approbation.',
  'failure.TRANSACTION_ALREADY_IN_PROCESS': 'Un autre paiement est en cours.',
  'failure.UNSPECIFIED_FAILURE': 'L’opérateur n’a pas dit pourquoi.',
  'failure.UNKNOWN_ERROR': 'Nous ne savons pas pourquoi.',

  'error.provider': 'Veuillez choisir un opérateur.',
  'error.phoneNumber': 'Veuillez saisir un numéro de téléphone : {country}.',
  'error.amount': 'Veuillez saisir un montant, par exemple 15 ou 15,50.',
  'error.currency': 'Veuillez choisir une devise.',
  'error.preAuthorisationCode': 'Veuillez saisir le code de paiement de votre opérateur.',
  'error.BELOW_MINIMUM': 'Le montant est inférieur à ce que cet opérateur accepte.',
  'error.ABOVE_MAXIMUM': 'Le montant est supérieur à ce que cet opérateur accepte.',
  'error.DECIMALS': 'Cet opérateur accepte moins de décimales.',
  'error.PROVIDER_UNAVAILABLE':
    'Cet opérateur n’est pas disponible pour le moment. Veuillez en choisir un autre.',
  'error.other': 'Le paiement n’a pas pu commencer. Veuillez réessayer.'
}

export const texts: Record<Language, Record<TextName, string | Forms>> = { en, fr }

/** Text with its values. A value that is a number is the count. */
export type Say = (name: TextName, values?: Record<string, string | number>) => string

export function createSay (language: Language): Say {
  const rules = new Intl.PluralRules(language)
  const formOf = (text: string | Forms, values: object): string => {
    if (typeof text === 'string') return text
    const count = Object.values(values).find((value) => typeof value === 'number')
    return (count === undefined ? undefined : text[rules.select(count)]) ?? text.other
  }
  return (name, values = {}) =>
    formOf(texts[language][name], values).replace(/\{(\w+)\}/g, (hole, key: string) =>
      key in values ? String(values[key]) : hole
    )
}

export function isText (name: string): name is TextName {
  return Object.hasOwn(en, name)
}
