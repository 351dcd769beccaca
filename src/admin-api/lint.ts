import { createChoice, Type } from '../lib/typebox.ts'
import { closed, answerWord } from '../wire/fields.ts'

/** Request and answer of the lint call. */

export const LintQuery = Type.Object(
  {
    format: Type.Optional(
      createChoice(['json', 'junit'], { description: "'json' or 'junit'; the default is json" })
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
    method: Type.String(),
    path: Type.String(),
    body: Type.Optional(Type.Unknown()),
    notes: Type.Optional(
      Type.Array(Type.String(), { description: 'changes to make by hand, or what to do instead' })
    )
  },
  { ...closed, description: 'the same request in v2, corrected' }
)

const Finding = Type.Object(
  {
    rule: Type.String(),
    severity: Severity,
    title: Type.String({ description: 'the rule, in a sentence' }),
    why: Type.String(),
    message: Type.String({ description: 'how the rule is broken' }),
    count: Type.Integer({ minimum: 1, description: 'number of requests that break it this way' }),
    requests: Type.Array(Type.Integer(), {
      description: 'the ids of the first 20 of them in the journal'
    }),
    request: Type.Object(
      {
        id: Type.Integer(),
        method: Type.String(),
        url: Type.String(),
        body: Type.Optional(Type.Unknown())
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
    findings: Type.Array(Finding),
    rules: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          severity: Severity,
          title: Type.String(),
          found: Type.Integer({ minimum: 0 })
        },
        closed
      ),
      { description: 'every rule that was applied' }
    )
  },
  closed
)
