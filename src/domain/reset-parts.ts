/**
 * Parts of the rows of an account in the ledger. Payments include their money, codes, links and
 * statements; callbacks stay or go with them. Providers are the due times of outages that end.
 */
export const ledgerParts = ['payments', 'callbacks', 'scenarios', 'providers'] as const
export type LedgerPart = (typeof ledgerParts)[number]

/** Parts of an account that a reset can keep. */
export const resetParts = [
  ...ledgerParts,
  'settings',
  'clock',
  'journal',
  'coverage'
] as const

/** Name of a part. */
export type ResetPart = (typeof resetParts)[number]
