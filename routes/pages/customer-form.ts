import type { FastifyReply } from 'fastify'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { mergeRefusals, type CustomerChoice } from '../../src/domain/customer-choice.ts'
import { internationalNumber } from '../../src/domain/phone-number.ts'
import { refusals, refuse, type Refusal } from '../../src/domain/refusal.ts'
import { createValidator } from '../../src/lib/validator.ts'
import { ChoiceBody } from '../../src/wire/pages.ts'
import { toRefusal } from '../http/schemas.ts'
import { readTexts } from '../http/forms.ts'
import type { TypedFields, WalletForm } from './templates/wallet-fields.ts'

/**
 * Form in which a customer chooses how to pay. A refused form is answered with a redirect to its
 * page: the query has the typed values, and the page checks them again. So a reload and the Back
 * button send nothing twice.
 */

/** Fields that a customer fills in. */
const fieldNames = Object.keys(ChoiceBody.properties).filter((name) => name !== 'attended')

const choiceValidator = createValidator(ChoiceBody, 'the body')

/** Choice of a customer, and the problems of fields that cannot be read. */
export interface ReadChoice {
  choice: CustomerChoice
  problems: Refusal[]
}

/** Reads the fields of a query or a form that prefill the page. */
export function readTyped (fields: unknown): TypedFields {
  return Object.fromEntries(
    Object.entries(readTexts(fields)).filter(([name]) => fieldNames.includes(name))
  )
}

/** Reads the choice of a customer from a form. A customer who submits a form is present. */
export function readChoice (typed: TypedFields, { countries, providers }: Catalogue): ReadChoice {
  const { phoneNumber, amount, provider, ...rest } = typed
  const home = providers.get(provider ?? '')?.country
  // After a change of the country, the page still has the providers of the old one.
  const isElsewhere = home !== undefined && typed.country !== undefined && home !== typed.country
  const country = countries.get((isElsewhere ? undefined : home) ?? typed.country ?? '')
  const choice: CustomerChoice = {
    ...rest,
    ...(provider !== undefined && !isElsewhere && { provider }),
    ...(phoneNumber !== undefined && {
      phoneNumber: country === undefined ? phoneNumber : internationalNumber(phoneNumber, country)
    }),
    ...(amount !== undefined && { amount: plainAmount(amount) }),
    attended: true
  }
  const unreadable = choiceValidator.all(choice).map((problem) => toRefusal(problem, choice))
  const wrong = unreadable.map(({ field }) => field)
  const readable = Object.entries(choice).filter(([name]) => !wrong.includes(name))
  return {
    choice: Object.fromEntries(readable),
    problems: [...(isElsewhere ? [refuseOtherCountry(typed, home)] : []), ...unreadable]
  }
}

function refuseOtherCountry ({ country, provider }: TypedFields, home: string): Refusal {
  return refuse(
    'MISSING',
    `provider is required: one of ${country}, because '${provider}' belongs to ${home}`,
    'provider'
  )
}

/** Redirects a refused form to its page, which shows the problems. */
export function returnForm (
  reply: FastifyReply,
  page: string,
  typed: TypedFields,
  refusal: Refusal,
  problems: readonly Refusal[]
): FastifyReply {
  const query = new URLSearchParams({
    ...typed,
    checked: 'true',
    // The page cannot find out by itself what a scenario decided.
    ...(problems.length === 0 && { refused: refusal.code })
  })
  return reply.redirect(`${page}?${query.toString()}`, 303)
}

/** Problems that a page shows: those of a checked form, at most one for each field. */
export function listShownProblems (
  query: unknown,
  { choice, problems }: ReadChoice,
  listProblems: (choice: CustomerChoice) => Refusal[]
): Refusal[] {
  const { checked, refused } = readTexts(query)
  if (checked !== 'true') return []
  const found = mergeRefusals(problems, listProblems(choice))
  const code = refusals.find((one) => one === refused)
  return found.length > 0 || code === undefined
    ? found
    : [refuse(code, `the payment was refused with ${code}`)]
}

/**
 * Answers a click on a test number, whose button sends `PROVIDER/NUMBER` besides the typed values:
 * the page opens again with the number filled in.
 */
export function fillTestNumber (
  reply: FastifyReply,
  page: string,
  query: unknown
): FastifyReply | undefined {
  const { testNumber } = readTexts(query)
  if (testNumber === undefined) return undefined
  const [provider, phoneNumber] = testNumber.split('/', 2)
  const typed = readTyped({ ...readTyped(query), provider, phoneNumber })
  return reply.redirect(`${page}?${new URLSearchParams({ ...typed }).toString()}`, 303)
}

/**
 * Reads a form. A button of the simulator also sends an outcome: the form names its scenario, and
 * its empty fields get test values, so that one click is enough.
 */
export async function readOutcome (
  body: unknown,
  createWallet: (typed: TypedFields) => Promise<WalletForm>
): Promise<{ typed: TypedFields; scenario?: string }> {
  const typed = readTyped(body)
  const { outcome } = readTexts(body)
  if (outcome === undefined) return { typed }
  const { fillBlanks, outcomes } = await import('./test-values.ts')
  const scenario = outcomes.find((one) => one === outcome)
  return scenario === undefined
    ? { typed }
    : { typed: fillBlanks(await createWallet(typed)), scenario }
}

/** Normalises an amount: people write a comma before decimals, and spaces between thousands. */
function plainAmount (amount: string): string {
  return amount.replace(/[\s\u00a0\u202f]/g, '').replace(/,(\d{1,2})$/, '.$1')
}
