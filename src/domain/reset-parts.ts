import { ledgerParts } from './account-tables.ts'

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
