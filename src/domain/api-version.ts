/** Versions of the API. A payment is stored with the version in which it was initiated. */
export const generations = ['v1', 'v2'] as const
export type Generation = (typeof generations)[number]

/**
 * Differences between the versions that the rules depend on. Each wire supplies its own values, so
 * the rules never compare version names.
 */
export interface VersionRules {
  generation: Generation
  can: {
    /**
     * Deposits carry successfulUrl and failedUrl, so a customer can be sent to an authorisation
     * page.
     */
    redirect: boolean
    /** A payment page can have a fixed amount without a country. */
    priceWithoutCountry: boolean
  }
  /** Names that error messages use for fields of a request. */
  fieldNames: {
    provider: string
    phoneNumber: string
    pageAmount: string
    pagePhoneNumber: string
  }
}
