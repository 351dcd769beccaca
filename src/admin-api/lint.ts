import type { Static } from '@sinclair/typebox'
import { answerWord, choice, closed, describe, Type } from '../lib/typebox.ts'

/** Request and answer of the lint call. */

export const LintQuery = Type.Object(
  {
    format: Type.Optional(
      choice(['json', 'junit'], { description: "'json' or 'junit'; the default is json" })
    ),
    ignore: Type.Optional(
      Type.String({
        examples: ['browser-call,token-in-url'],
        description: 'rules to leave out, separated by commas'
      })
    )
  },
  closed
)

const Severity = answerWord('refused', 'warning')

const Equivalent = Type.Object(
  {
    method: Type.String({ description: 'the method' }),
    path: Type.String({ description: 'the path' }),
    body: Type.Optional(Type.Unknown({ description: 'the body as JSON' })),
    notes: Type.Optional(
      Type.Array(Type.String(), { description: 'changes to make by hand, or what to do instead' })
    )
  },
  { ...closed, description: 'the same request in v2, corrected' }
)

const Finding = Type.Object(
  {
    rule: Type.String({ description: 'the identifier of the rule' }),
    severity: describe('whether v2 refuses it, or it is unwise', Severity),
    title: Type.String({ description: 'the rule, in a sentence' }),
    why: Type.String({ description: 'why it matters' }),
    message: Type.String({ description: 'how the rule is broken' }),
    count: Type.Integer({ minimum: 1, description: 'number of requests that break it this way' }),
    requests: Type.Array(Type.Integer(), {
      description: 'the ids of the first 20 of them in the journal'
    }),
    request: Type.Object(
      {
        id: Type.Integer({ description: 'its id in the journal' }),
        method: Type.String({ description: 'the method' }),
        url: Type.String({ description: 'the path and the query' }),
        body: Type.Optional(Type.Unknown({ description: 'the body as JSON, or as text' }))
      },
      { ...closed, description: 'the first of them' }
    ),
    equivalent: Type.Optional(Equivalent)
  },
  closed
)

export const LintAnswer = Type.Object(
  {
    passed: Type.Boolean({ description: 'true if there is no finding' }),
    checked: Type.Integer({ minimum: 0, description: 'number of requests that were checked' }),
    dropped: Type.Integer({
      minimum: 0,
      description: 'number of requests that the journal no longer has: they were not checked'
    }),
    findings: describe('what breaks a rule', Type.Array(Finding)),
    rules: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'the identifier of the rule' }),
          severity: describe('whether v2 refuses it, or it is unwise', Severity),
          title: Type.String({ description: 'the rule, in a sentence' }),
          found: Type.Integer({ minimum: 0, description: 'the number of requests that break it' })
        },
        closed
      ),
      { description: 'every rule that was applied' }
    )
  },
  closed
)

/** Findings about the requests of an account: what v2 refuses, or what is unwise. */
export interface Lint extends Static<typeof LintAnswer> {}
