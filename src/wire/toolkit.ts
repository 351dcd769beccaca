import type { TSchema } from '@sinclair/typebox'
import type { SchemaOf } from '../lib/typebox.ts'
import type { Account } from '../domain/account.ts'
import type { CountryOffering, OfferingFilter } from '../domain/account-offering.ts'
import type { Prediction } from '../domain/provider-prediction.ts'

/** Path of the pictures of countries and providers. */
export interface Pictures {
  flag: (country: string) => string
  logo: (provider: string) => string
}

/** A read-only call of a version: its path, its access and its answer. */
interface Shown {
  path: string
  /** True if no token is needed. */
  open?: boolean
  answer: TSchema
}

/** Toolkit of a version: active configuration, availability, predictions and keys. */
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
