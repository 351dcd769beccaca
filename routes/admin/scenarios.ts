import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import type { Accounts } from '../../src/accounts/registry.ts'
import { createValidator } from '../../src/lib/validator.ts'
import type { AddedScenario } from '../../src/domain/account.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { ScenarioUses } from '../../src/domain/ports.ts'
import type { ScenarioFile } from '../../src/domain/scenario.ts'
import { validateScenario } from '../../src/domain/scenario-validation.ts'
import { ScenarioSchema } from '../../src/domain/scenario.ts'
import type { ScenarioLibrary } from '../../simulator/scenario-library.ts'
import type { Documentation } from '../http/context.ts'
import { adminCall, AdminError } from './guard.ts'

/** At most this many rules are kept for an account. */
const maxRules = 1000

const RuleRequest = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9._-]{1,64}$',
      description: '1 to 64 letters, digits, dots, dashes or underscores'
    }),
    ...ScenarioSchema.properties
  },
  {
    additionalProperties: false,
    description: 'a scenario with a name',
    examples: [
      {
        name: 'never-answers',
        when: { kind: 'deposit', phoneNumber: '26076345678[0-4]' },
        script: [
          { after: '50ms', to: 'PROCESSING' },
          { after: '30s', to: 'FAILED', failureCode: 'PAYMENT_NOT_APPROVED' }
        ],
        times: 3
      }
    ]
  }
)

const form = createValidator(RuleRequest)

const { documentation, ...rest } = adminCall(
  'addScenario',
  'Add a scenario for this account',
  'It goes before those added earlier, before test numbers and before files. One of the same ' +
    'name is replaced, and counts anew.'
)
const adding = {
  ...rest,
  documentation: { ...(documentation as Documentation), body: RuleRequest }
}

export const AddedScenarioAnswer = Type.Object(
  {
    ...RuleRequest.properties,
    used: Type.Integer({ minimum: 0, description: 'how many payments it was used for' }),
    remaining: Type.Optional(Type.Integer({ minimum: 0, description: 'how many more it is for' }))
  },
  { additionalProperties: false }
)

const RuleList = Type.Object(
  {
    scenarios: Type.Array(AddedScenarioAnswer),
    files: Type.Array(Type.Object({ name: Type.String(), when: ScenarioSchema.properties.when }))
  },
  { additionalProperties: false }
)

/** Scenarios added for an account: newest first, before test numbers and files. */
export function scenarioRoutes (
  app: FastifyInstance,
  accounts: Accounts,
  scenarioLibrary: ScenarioLibrary,
  uses: ScenarioUses,
  catalogue: Catalogue
): void {
  app.post(
    '/scenarios',
    {
      config: adding,
      schema: {
        body: Type.Object({}, { additionalProperties: true, description: RuleRequest.description }),
        response: { 201: AddedScenarioAnswer }
      }
    },
    async (request, reply) => {
      const { name, ...written } = request.body as Static<typeof RuleRequest>
      const { account } = request
      // The form is looked at here and not before, so that all that is wrong can be said at once.
      const unfit = form.all(request.body)
      const scenario = validateScenario(name, written, unfit, catalogue)
      if (Array.isArray(scenario)) {
        const { hintFor: advise, exampleFor: exampleOf } = await import('../http/hints.ts')
        throw new AdminError(
          'BAD_REQUEST',
          scenario
            .map(({ path, message }) =>
              path === '' || message.startsWith(path) ? message : `${path}: ${message}`
            )
            .join('; '),
          advise(RuleRequest, request.body) ?? `such as ${exampleOf(RuleRequest) ?? ''}`
        )
      }
      const others = account.scenarios.filter((rule) => rule.scenario.name !== name)
      if (others.length >= maxRules) {
        throw new AdminError(
          'CONFLICT',
          `the account has ${maxRules} scenarios already`,
          'delete some first'
        )
      }
      await accounts.changes.addScenario(account, { written, scenario })
      return reply.code(201).send(showScenario({ written, scenario }, 0))
    }
  )

  app.get(
    '/scenarios',
    {
      config: adminCall(
        'listScenarios',
        'The scenarios of this account, and how often each was used'
      ),
      schema: { response: { 200: RuleList } }
    },
    async ({ account }) => {
      await scenarioLibrary.ready()
      const counts = await uses.listUses(account.id)
      return {
        scenarios: account.scenarios.map((rule) =>
          showScenario(rule, counts.get(rule.scenario.name) ?? 0)
        ),
        files: scenarioLibrary.scenarios.map(({ name, when }) => ({ name, when }))
      }
    }
  )

  app.delete(
    '/scenarios/:name',
    {
      config: adminCall('deleteScenario', 'Take a scenario of this account away'),
      schema: {
        params: Type.Object({
          name: Type.String({
            description: 'the name of the scenario',
            examples: ['never-answers']
          })
        }),
        response: { 204: Type.Null({ description: 'It is gone.' }) }
      }
    },
    async (request, reply) => {
      const { name } = request.params as { name: string }
      const { account } = request
      if (!account.scenarios.some(({ scenario }) => scenario.name === name)) {
        throw new AdminError(
          'NOT_FOUND',
          `no scenario '${name}' was added for this account`,
          'GET /__admin/scenarios lists them'
        )
      }
      await accounts.changes.removeScenario(account, name)
      return reply.code(204).send()
    }
  )
}

function showScenario (
  { written, scenario }: AddedScenario,
  used: number
): { name: string; used: number; remaining?: number } & ScenarioFile {
  return {
    name: scenario.name,
    ...written,
    used,
    ...(scenario.times !== undefined && { remaining: Math.max(0, scenario.times - used) })
  }
}
