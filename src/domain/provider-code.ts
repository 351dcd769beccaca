import type { CatalogueCountry, CatalogueProvider } from './known-codes.ts'

/**
 * Codes that a configuration adds to the catalogue. A test declares them, so that they compile:
 * `declare module 'momock' { interface OwnCodes { MY_MONEY_ZMB: true } }`.
 */
export interface OwnCodes {}

/** Code of a provider. */
export type ProviderCode = CatalogueProvider | keyof OwnCodes

/** Alpha-3 code of a country. */
export type CountryCode = CatalogueCountry | keyof OwnCodes
