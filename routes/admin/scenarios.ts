import type { Static } from '@sinclair/typebox'
import { createEmptyAnswer, createOpenObject } from '../../src/admin-api/fields.ts'
import {
  AddedScenarioAnswer,
  NewScenario,
  ScenarioList,
  ScenarioPath
} from '../../src/admin-api/scenarios.ts'
import type { Account, AddedScenario } from '../../src/domain/account.ts'
import type { ScenarioProblem } from '../../src/scenarios/script-checks.ts'
import { fileCounterOf } from '../../src/scenarios/scenario-following.ts'
import { validateScenario } from '../../src/scenarios/scenario-validation.ts'
import { replaceV1Words } from '../../src/scenarios/v1-words.ts'
import { latestTime } from '../../src/lib/clock.ts'
import { createValidator } from '../../src/lib/validator.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

/** Largest number of scenarios that can be added to an account. */
const maxScenarios = 1000

const scenarioValidator = createValidator(NewScenario)

/** Calls about the scenarios of an account: add, list and delete them. */
export function scenarioRoutes (app: TypedApp, parts: AdminParts): void {
  addCreateRoute(app, parts)
  addListRoute(app, parts)
  addDeleteRoute(app, parts)
}

function addCreateRoute (app: TypedApp, { accounts, catalogue }: AdminParts): void {
  /** Number of scenarios that got a name here. */
  let named = 0
  const makeName = (account: Account): string => {
    const name = `scenario-${++named}`
    const isTaken = account.scenarios.some(({ scenario }) => scenario.name === name)
    return isTaken ? makeName(account) : name
  }
  app.post(
    '/scenarios',
    {
      config: {
        errors: [409],
        documentation: {
          id: 'addScenario',
          tag: 'admin',
          summary: 'Add a scenario for this account',
          body: NewScenario,
          description:
            'It comes before scenarios that were added earlier, before test numbers and before ' +
            'files. A scenario of the same name is replaced and its uses are counted anew. One ' +
            'without a name gets one.'
        }
      },
      // The handler validates the body, so that one answer can name every problem.
      schema: {
        body: createOpenObject(NewScenario.description),
        response: { 201: AddedScenarioAnswer }
      }
    },
    async ({ account, body: given }, reply) => {
      const { name: givenName = makeName(account), ...givenFields } = given
      const { written: fields } = replaceV1Words(givenFields)
      const body = { ...given, ...(fields as object), name: givenName }
      const misfits = scenarioValidator.all(body)
      const scenario = validateScenario(String(givenName), fields, misfits, catalogue)
      if (Array.isArray(scenario) || !scenarioValidator.check(body)) {
        throw await scenarioError(Array.isArray(scenario) ? scenario : misfits, misfits, body)
      }
      const { name: _, ...written } = body
      const others = account.scenarios.filter((other) => other.scenario.name !== scenario.name)
      if (others.length >= maxScenarios) {
        throw new AdminError(
          'CONFLICT',
          `the account already has ${maxScenarios} scenarios, the maximum`,
          'delete some of them first'
        )
      }
      const added = await accounts.changes.addScenario(account, { written, scenario })
      return reply.code(201).send(showScenario(added, 0))
    }
  )
}

function addListRoute (app: TypedApp, { scenarioLibrary, uses }: AdminParts): void {
  app.get(
    '/scenarios',
    {
      config: adminCall(
        'listScenarios',
        'List the scenarios of this account, and how often each was used'
      ),
      schema: { response: { 200: ScenarioList } }
    },
    async ({ account }) => {
      await scenarioLibrary.readAll()
      const counts = await uses.listUses(account.id)
      return {
        scenarios: account.scenarios.map((added) =>
          showScenario(added, counts.get(added.scenario.name) ?? 0)
        ),
        files: scenarioLibrary.scenarios.map(({ name, when }) => ({
          name,
          when,
          used: counts.get(fileCounterOf(name)) ?? 0
        }))
      }
    }
  )
}

function addDeleteRoute (app: TypedApp, { accounts }: AdminParts): void {
  app.delete(
    '/scenarios/:name',
    {
      config: {
        ...adminCall('deleteScenario', 'Delete a scenario of this account'),
        errors: [404]
      },
      schema: {
        params: ScenarioPath,
        response: { 204: createEmptyAnswer('The scenario was deleted.') }
      }
    },
    async ({ account, params: { name } }, reply) => {
      if (!account.scenarios.some(({ scenario }) => scenario.name === name)) {
        throw new AdminError(
          'NOT_FOUND',
          `this account has no added scenario '${name}'`,
          'GET /__admin/scenarios lists all scenarios'
        )
      }
      await accounts.changes.removeScenario(account, name)
      return reply.code(204).send()
    }
  )
}

/** Names every problem. The messages of the validator (`misfits`) already name the field. */
async function scenarioError (
  problems: readonly ScenarioProblem[],
  misfits: readonly ScenarioProblem[],
  body: unknown
): Promise<AdminError> {
  const { hintFor, exampleFor } = await import('../http/hints.ts')
  return new AdminError(
    'BAD_REQUEST',
    problems
      .map((problem) =>
        problem.path === '' || misfits.includes(problem)
          ? problem.message
          : `${problem.path}: ${problem.message}`
      )
      .join('; '),
    hintFor(NewScenario, body) ?? `send a scenario such as ${exampleFor(NewScenario) ?? ''}`
  )
}

function showScenario (
  { written, scenario, since }: AddedScenario,
  used: number
): Static<typeof AddedScenarioAnswer> {
  return {
    name: scenario.name,
    ...written,
    used,
    ...(scenario.times !== undefined && { remaining: Math.max(0, scenario.times - used) }),
    ...(since !== undefined &&
      scenario.forMs !== undefined && {
      // A clock may be near the last time that it can show.
      until: new Date(Math.min(since + scenario.forMs, latestTime)).toISOString()
    })
  }
}
