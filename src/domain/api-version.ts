import { choice, Type } from '../lib/typebox.ts'

/** Versions of the API. A payment is stored with the version in which it was initiated. */
export const versions = ['v1', 'v2'] as const
export type Version = (typeof versions)[number]

/** Schema of a version in a request, under the name that it had until 0.1.0. */
export const EarlierVersion = Type.Optional(
  choice(versions, { description: "'v1' or 'v2', under the earlier name of version" })
)

/** Reads the earlier name of `version`. */
export function readVersion<Value, Fields extends { version?: Value; generation?: Value }> ({
  generation,
  version = generation,
  ...fields
}: Fields): Omit<Fields, 'generation'> {
  return { ...fields, ...(version !== undefined && { version }) } as Omit<Fields, 'generation'>
}

/**
 * Differences between the versions that the rules depend on. Each wire supplies its own values, so
 * the rules never compare version names.
 */
export interface VersionRules {
  version: Version
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
