import { AnyName, choice, closed, type SchemaOf, text, Type } from '../lib/typebox.ts'
import { earliestTime, latestTime, type Clock } from '../lib/clock.ts'
import { createValidator } from '../lib/validator.ts'
import {
  availabilities,
  type AccountState,
  type OutageEnds,
  type Outages
} from '../domain/account.ts'
import { AccountSchema } from '../domain/account-settings.ts'
import { operations } from '../domain/kinds.ts'
import { ScenarioSchema } from '../domain/scenario-file.ts'
import { readScenario } from '../scenarios/scenario-reading.ts'

/** The stored state of an account: its form, and the rules that every stored state must follow. */

/** Time that a clock can show. */
export const StoredTime = Type.Integer({
  minimum: earliestTime,
  maximum: latestTime,
  description: 'a time in whole milliseconds, of the years 1 to 9999'
})

export const ClockSpeed = Type.Number({
  exclusiveMinimum: 0,
  maximum: 100_000,
  description: 'a number above 0, at most 100000'
})

export const StoredClock = Type.Object(
  {
    mode: choice(['running', 'frozen'], {
      description: 'running or frozen'
    }),
    base: StoredTime,
    since: StoredTime,
    speed: ClockSpeed
  },
  { ...closed, description: 'a clock' }
) satisfies SchemaOf<Clock>

/** Creates the schema of an object with a value by provider and operation. */
function byOperation<T> (value: SchemaOf<T>, description: string) {
  const some = Object.fromEntries(operations.map((name) => [name, Type.Optional(value)]))
  return Type.Unsafe<Record<string, Record<string, T>>>(
    Type.Record(AnyName, Type.Object(some, { ...closed, description }), { description })
  )
}

const { name: _, ...settings } = AccountSchema.properties

const parts = {
  clock: Type.Optional(StoredClock),
  outages: Type.Optional(
    byOperation(choice(availabilities), 'states by provider and operation') satisfies
      SchemaOf<Outages>
  ),
  outageEnds: Type.Optional(
    byOperation(StoredTime, 'times by provider and operation') satisfies SchemaOf<OutageEnds>
  ),
  rules: Type.Optional(
    Type.Array(
      Type.Object(
        {
          name: text('the name of a scenario'),
          written: ScenarioSchema,
          since: Type.Optional(StoredTime)
        },
        { ...closed, description: '{ name, written, since }' }
      ),
      { description: 'a list of scenarios' }
    )
  ),
  patched: Type.Optional(
    Type.Object(
      Object.fromEntries(
        Object.entries(settings).map(([name, setting]) => [
          name,
          Type.Optional(
            Type.Union([setting, Type.Null()], { description: setting.description ?? 'a setting' })
          )
        ])
      ),
      { ...closed, description: 'an object of changed settings' }
    )
  ),
  fixtures: Type.Optional(Type.String({ description: 'a text' })),
  made: Type.Optional(AccountSchema)
}

/** State of an account as it is stored. */
export const AccountStateSchema = Type.Object(parts, {
  ...closed,
  description: 'the state of an account'
}) satisfies { properties: { [Part in keyof AccountState]-?: unknown } }

/** Checks of single parts: most states have few, and a start reads the state of each account. */
const checks = Object.entries(parts).map(([name, schema]) => ({
  name,
  validator: createValidator(Type.Object({ [name]: schema }, closed), 'the state')
}))

/** Returns the first problem of a stored state, or undefined. It begins with the field. */
export function findStateProblem (state: unknown): string | undefined {
  if (typeof state !== 'object' || state === null || Array.isArray(state)) {
    return 'the state must be an object'
  }
  const known = state as Record<string, unknown>
  for (const { name, validator } of checks) {
    if (!Object.hasOwn(known, name)) continue
    const problem = validator.first({ [name]: known[name] })
    if (problem !== undefined) return problem.message
  }
  return findScenarioProblem(state)
}

/** Returns the first contradiction in the scenarios of a state whose form is right. */
function findScenarioProblem ({ rules = [] }: AccountState): string | undefined {
  for (const [index, { name, written }] of rules.entries()) {
    const scenario = readScenario(name, written)
    if (!Array.isArray(scenario)) continue
    const [{ path, message }] = scenario
    return `rules.${index}.written${path === '' ? '' : `.${path}`}: ${message}`
  }
  return undefined
}
