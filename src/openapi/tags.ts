/** The groups of operations, as the reference shows them. */
export const tags = {
  deposits: "Collect money from a customer's mobile wallet.",
  payouts: 'Send money to a mobile wallet.',
  refunds: 'Give the money of an earlier deposit back.',
  remittances: 'Payouts that say who sends the money and who it is for.',
  'split-payments': 'A deposit that is paid out again in parts.',
  checkouts: 'A hosted payment session with several attempts.',
  'payment-page': 'A hosted page on which a customer makes one deposit.',
  toolkit:
    'What is configured, what is available, which provider a number belongs to, and public keys.',
  finances: 'Wallet balances and statements.',
  customer:
    'What a customer does on the hosted pages, as JSON, so that a test needs no browser. The ' +
    'end of the path is the key.',
  admin: 'Admin calls. The real service does not have them.'
} as const

export type Tag = keyof typeof tags
