import type { Static, TObject, TString } from '@sinclair/typebox'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { PaymentOption } from '../../src/domain/payment-options.ts'
import { internationalNumber } from '../../src/domain/phone-number.ts'
import { predict } from '../../src/domain/provider-prediction.ts'
import { isRefusal, Refused } from '../../src/domain/refusal.ts'
import { PhoneQuery, PredictionRecord } from '../../src/wire/pages.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { pageCall } from './customer.ts'
import { readTexts } from '../http/forms.ts'

/** Page that predicts the provider of a number. */
export interface PredictingPage {
  /** Path of the page, with its key as parameter. */
  path: string
  /** Parameter of the path. */
  params: TObject<Record<string, TString>>
  id: string
  /** Name of the page in the reference. */
  name: string
  /** Finds the options of the page. */
  findOptions: (params: Record<string, string>) => Promise<PaymentOption[]>
}

/** Adds the call that predicts the provider of a number while the customer types it. */
export function addPredictRoute (
  app: TypedApp,
  { path, params, id, name, findOptions }: PredictingPage,
  catalogue: Catalogue
): void {
  app.get(
    `${path}/prediction`,
    {
      config: {
        ...pageCall(
          id,
          `Predict the provider of a phone number, among those that a ${name} offers`
        ),
        errors: [404]
      },
      schema: { params, querystring: PhoneQuery, response: { 200: PredictionRecord } }
    },
    async (request) => predictProvider(request.query, await findOptions(request.params), catalogue)
  )
}

/** Predicts the provider of a phone number while the customer types it. */
function predictProvider (
  query: Static<typeof PhoneQuery>,
  offers: PaymentOption[],
  catalogue: Catalogue
): Static<typeof PredictionRecord> {
  const { country, phoneNumber } = readTexts(query)
  if (phoneNumber === undefined) {
    throw new Refused('MISSING', 'phoneNumber is required: a phone number as people write it')
  }
  const home = catalogue.countries.get(country ?? '')
  // A national number of the country, or a number with its own country code.
  const readings = [
    ...(home === undefined ? [] : [internationalNumber(phoneNumber, home)]),
    phoneNumber
  ].map((number) => predict(number, catalogue, 'phoneNumber'))
  const predicted = readings.find((reading) => !isRefusal(reading)) ?? readings[0]
  if (isRefusal(predicted)) throw new Refused(predicted.code, predicted.message)
  const { provider } = predicted
  if (!offers.some(({ providers }) => providers.includes(provider))) {
    throw new Refused(
      'PROVIDER_NOT_ENABLED',
      `phoneNumber '${predicted.phoneNumber}' belongs to ${provider.code}, which is not ` +
        'available here'
    )
  }
  return {
    country: predicted.country,
    provider: provider.code,
    displayName: provider.displayName,
    phoneNumber: predicted.phoneNumber
  }
}
