import type { en, TextForms, TextName } from './texts-en.ts'

/** Texts of the customer pages in French. */
export const fr: { [Name in TextName]: (typeof en)[Name] extends string ? string : TextForms } = {
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
  codeHint:
    'Seulement pour {providers} : le code à usage unique que votre opérateur vous a donné',
  predicted: 'Ce numéro est chez {provider}.',
  notOffered:
    'L’opérateur de ce numéro ne peut pas être utilisé ici. Veuillez en choisir un autre.',
  noOffers:
    'Aucun opérateur ne peut accepter ce paiement pour le moment. Veuillez revenir plus tard.',
  notPredicted: 'Nous ne savons pas chez qui est ce numéro. Veuillez choisir l’opérateur.',
  secondsLeft: 'Temps restant',
  expiresAt: 'Ouvert jusqu’à {time}',
  cancel: 'Annuler le paiement',
  giveUp: 'Revenir chez {company} sans payer',
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
      'Elle était ouverte pendant {minutes} minutes. Rien n’a été prélevé. Retournez ' +
      'à la boutique et recommencez.'
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
  outcomes: 'Payer comme un client qui …',
  'outcome.happy-path': 'paie',
  'outcome.declined': 'refuse',
  'outcome.not-approved': 'ne répond pas',
  'outcome.insufficient-balance': 'n’a pas assez d’argent',
  'outcome.limit-reached': 'a atteint sa limite',
  'outcome.unknown-payer': 'n’a pas de portefeuille',
  'outcome.phone': 'décide sur la page du téléphone',
  testNumbers: 'Numéros de test : cliquez pour remplir',
  twin: 'Pour du JSON, demandez cette adresse avec « Accept: application/json ».',
  detail: 'En détail',

  'state.ACCEPTED': 'Commencée',
  'state.PROCESSING': 'En attente',
  'state.IN_RECONCILIATION': 'En vérification',
  'state.COMPLETED': 'Payée',
  'state.FAILED': 'Échouée',

  checkFields: {
    one: 'Veuillez corriger le champ indiqué ci-dessous.',
    other: 'Veuillez corriger les {fields} champs indiqués ci-dessous.'
  },
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
