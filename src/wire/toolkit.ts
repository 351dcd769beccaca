import type { TSchema } from '@sinclair/typebox'
import type { SchemaOf } from '../lib/typebox.ts'
import type { Account } from '../domain/account.ts'
import type { CountryOffering, OfferingFilter } from '../domain/account-offering.ts'
import type { Prediction } from '../domain/provider-prediction.ts'

/** Where the pictures of countries and providers are. */
export interface Pictures {
  flag: (country: string) => string
  logo: (provider: string) => string
}

/** Something a generation shows: where, to whom, and how it is spelled. */
interface Shown {
  path: string
  /** Anybody may look, with a token or without. */
  open?: boolean
  answer: TSchema
}

/**
 * How a generation spells what it says about itself: the offers, their availability, predictions
 * and keys.
 */
export interface Toolkit {
  activeConfiguration: Shown & {
    query: SchemaOf<OfferingFilter>
    filter: (query: OfferingFilter) => OfferingFilter
    write: (account: Account, offers: CountryOffering[], pictures: Pictures) => object
  }
  availability: Shown & {
    query: SchemaOf<OfferingFilter>
    filter: (query: OfferingFilter) => OfferingFilter
    write: (offers: CountryOffering[]) => object
  }
  prediction: Shown & {
    field: string
    request: SchemaOf<Record<string, string>>
    write: (prediction: Prediction) => object
  }
  publicKeys: Shown
}
