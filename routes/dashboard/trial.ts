import type { Static, TSchema } from '@sinclair/typebox'
import type { ExampleRequest } from '../../src/admin-api/examples.ts'
import { PaymentPage, PaymentView } from '../../src/admin-api/payments.ts'
import { ScenarioList } from '../../src/admin-api/scenarios.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { createValidator } from '../../src/lib/validator.ts'
import { readId } from './actions.ts'
import type { Trial } from './templates/try.ts'
import type { Visit } from './visit.ts'

/** Finds what the page "Try it" shows: the request, and the payment that was created last. */
export async function findTrial (
  visit: Visit,
  example: Static<typeof ExampleRequest>
): Promise<Trial> {
  const { query, result } = visit
  const isTyped = query.text !== undefined
  const typed = isTyped ? query : (result?.fields ?? query)
  const list = await read(visit, '/__admin/scenarios', ScenarioList)
  const scenarios = [...(list?.scenarios ?? []), ...(list?.files ?? [])].map(({ name }) => name)
  return {
    example,
    text:
      typed.text === undefined
        ? await writeBody(visit, example)
        : isTyped
          ? typed.text
          : renewId(visit, example, typed.text),
    scenario: typed.scenario,
    scenarios,
    problem: isTyped ? undefined : result?.problem,
    payment: await findSent(visit)
  }
}

/** The text that was sent: after it was accepted, with a new identifier. */
function renewId (
  { freshId, result }: Visit,
  { kind }: Static<typeof ExampleRequest>,
  text: string
): string {
  const id = readId(kind, text)
  return result?.problem !== undefined || id === undefined ? text : text.replaceAll(id, freshId)
}

/** Body of the example with a new identifier. A refund is for the latest completed deposit. */
async function writeBody (visit: Visit, example: Static<typeof ExampleRequest>): Promise<string> {
  const { idField } = kinds[example.kind]
  const body = { ...example.body, [idField]: visit.freshId }
  if (example.kind === 'refund' && visit.query.depositId === undefined) {
    const path = '/__admin/payments?kind=deposit&status=COMPLETED&order=newest&limit=1'
    const [deposit] = (await read(visit, path, PaymentPage))?.payments ?? []
    if (deposit !== undefined) {
      const { id, amount, currency } = deposit
      Object.assign(body, {
        depositId: id,
        ...('amount' in body && { amount }),
        ...('currency' in body && { currency })
      })
    }
  }
  return JSON.stringify(body, null, 2)
}

async function findSent (visit: Visit): Promise<Static<typeof PaymentView> | undefined> {
  const [kind, id] = visit.query.sent?.split('/').map(encodeURIComponent) ?? []
  if (id === undefined) return undefined
  return await read(visit, `/__admin/payments/${kind}/${id}`, PaymentView)
}

/** Reads the answer of an admin call; undefined if it was refused. */
async function read<Body extends TSchema> (
  { ask }: Visit,
  path: string,
  schema: Body
): Promise<Static<Body> | undefined> {
  const { body } = await ask({ method: 'GET', path })
  return createValidator(schema).check(body) ? body : undefined
}
