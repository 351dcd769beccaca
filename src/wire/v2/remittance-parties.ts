import { choice, closed, orNull, Type } from '../../lib/typebox.ts'
import { Amount, Country, Currency } from '../fields.ts'

/** Sender and recipient of a remittance in v2. */

const text = (example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    examples: [example],
    description: 'a string of 1 to 64 characters'
  })

const purposes = choice([
  'FAMILY_SUPPORT',
  'MEDICAL_EXPENSES',
  'TUITION_FEES',
  'EDUCATION_SUPPORT',
  'GIFT_AND_OTHER_DONATIONS',
  'HOME_IMPROVEMENT',
  'DEBT_SETTLEMENT',
  'REAL_ESTATE',
  'TAXES',
  'SALARY',
  'SAVINGS',
  'PERSONAL_TRANSFER',
  'OTHER'
])
const sources = choice(['SALARY', 'SAVINGS', 'LOTTERY', 'LOAN', 'BUSINESS_INCOME', 'GIFT', 'OTHER'])
const identifications = choice([
  'NATIONAL_ID',
  'PASSPORT',
  'DRIVING_LICENSE',
  'SOCIAL_SECURITY_ID',
  'RESIDENCE_PERMIT'
])
const genders = choice(['MALE', 'FEMALE', 'OTHER'])
// The service itself spells one of them wrongly; clients send either.
const relationships = choice([
  'FATHER',
  'MOTHER',
  'SON',
  'DAUGHTER',
  'BROTHER',
  'SISTER',
  'HUSBAND',
  'WIFE',
  'PARTNER',
  'FRIEND',
  'AUNT',
  'UNCLE',
  'COUSIN',
  'NEPHEW',
  'NIECE',
  'GRANDFATHER',
  'GRANDMOTHER',
  'GRANDSON',
  'GRANDDAUGHTER',
  'STEPCHILD',
  'DAUGHTER_IN_LAW',
  'SON_IN_LAW',
  'BORTHER_IN_LAW',
  'BROTHER_IN_LAW',
  'SISTER_IN_LAW',
  'MOTHER_IN_LAW',
  'GUARDIAN',
  'SELF'
])

export const RecipientDetails = Type.Object(
  { firstName: text('Ada'), lastName: text('Moyo') },
  { ...closed, description: '{ firstName, lastName }' }
)

export const Sender = Type.Object(
  {
    transactionDetails: Type.Object(
      {
        transactionReference: text('TX-1'),
        originalAmount: Amount,
        originalCurrency: Currency,
        buyFxRate: Type.String({
          pattern: '^[0-9]+([.][0-9]+)?$',
          maxLength: 32,
          examples: ['15.5'],
          description: "a decimal number in quotes such as '1.25'"
        }),
        senderFees: Amount,
        purposeOfFunds: purposes,
        sourceOfFunds: sources
      },
      { ...closed, description: 'the details of the transaction' }
    ),
    senderDetails: Type.Object(
      {
        firstName: text('Ada'),
        lastName: text('Moyo'),
        nationality: Country,
        phoneNumber: Type.String({
          pattern: '^[0-9]{1,64}$',
          examples: ['4915112345678'],
          description: 'digits only, at most 64'
        }),
        address: Type.Object(
          {
            addressLine: Type.String({
              minLength: 1,
              maxLength: 256,
              examples: ['Hauptstr. 1'],
              description: 'a string of 1 to 256 characters'
            }),
            postalCode: text('10115'),
            city: text('Berlin'),
            country: Country
          },
          { ...closed, description: '{ addressLine, postalCode, city, country }' }
        ),
        identification: Type.Object(
          { type: identifications, number: text('C01X00T47') },
          { ...closed, description: '{ type, number }' }
        ),
        gender: Type.Optional(orNull(genders)),
        dateOfBirth: Type.Optional(
          orNull(
            Type.String({
              format: 'date',
              examples: ['1990-01-31'],
              description: 'a date such as 1990-01-31'
            })
          )
        ),
        placeOfBirth: Type.Optional(orNull(Country)),
        occupation: Type.Optional(orNull(text('Engineer'))),
        relationshipRecipient: Type.Optional(orNull(relationships))
      },
      { ...closed, description: 'the details of the sender' }
    )
  },
  { ...closed, description: '{ transactionDetails, senderDetails }' }
)
