import type { Static } from '@sinclair/typebox'
import { severities, verdicts } from './verdict.ts'
import { choice, closed, describe, Type } from '../../lib/typebox.ts'

/** Form of a report, as `--json` writes it. The JSON Schema of the file is made from it. */

const Time = Type.String({ format: 'date-time', description: 'an RFC 3339 date-time' })
const Text = (description: string) => Type.String({ description })

/** One arrow of a sequence diagram. */
export const StepSchema = Type.Object(
  {
    from: choice(['customer', 'merchant', 'service'], { description: 'who sends' }),
    to: choice(['customer', 'merchant', 'service'], { description: 'who receives' }),
    text: Text('what was sent'),
    answer: Type.Optional(Text('what came back')),
    times: Type.Optional(Type.Integer({ minimum: 2, description: 'how often in a row' }))
  },
  closed
)

export const ResultSchema = Type.Object(
  {
    id: Text('the identifier of the check, such as SIG-01'),
    title: Text('the bug it looks for'),
    proves: Text('what is true of an application that passes'),
    severity: choice(severities, { description: 'how bad it is' }),
    depth: Text('the depths a firm verdict needs, such as 1+2'),
    verdict: choice(verdicts, { description: 'the result' }),
    because: Text('what was seen that decided it'),
    inconclusive: Type.Optional(
      Type.Boolean({ description: 'true if the check was begun and proves nothing' })
    ),
    sent: Text('what was sent'),
    received: Text('what came back'),
    booked: Text('what the merchant says it has booked'),
    shouldBe: Text('what should have happened'),
    why: Text('why it matters'),
    fix: Text('how to fix it'),
    curl: Text('a command that repeats it; empty, if there is none'),
    again: Text('how to repeat the check, and for how long the command works'),
    seed: Text('the seed, so that a run can be repeated'),
    requirement: Text('the rule, and where it is written'),
    durationMs: Type.Number({ minimum: 0, description: 'the time that the check took' }),
    expected: Type.Optional(Text('why this finding is accepted, if it is known')),
    steps: Type.Array(StepSchema, { description: 'who said what, in order' })
  },
  closed
)

const count = (what: string) =>
  Type.Integer({ minimum: 0, description: `the number of checks that ${what}` })

export const ReportSchema = Type.Object(
  {
    target: Text('the callback URL that was examined'),
    started: Time,
    ended: Time,
    summary: describe(
      'the number of checks by their result',
      Type.Object(
        {
          depth: Type.Integer({ minimum: 0, maximum: 2, description: 'how deep the exam went' }),
          passed: count('passed'),
          failed: count('failed'),
          warning: count('ended with a warning'),
          review: count('a person must look at'),
          skipped: count('were not run'),
          seed: Type.String({ description: 'the seed of the run' }),
          version: Text('the version of momock'),
          interrupted: Type.Optional(Text('why not every check was run, if so'))
        },
        closed
      )
    ),
    checks: describe('the results of the checks', Type.Array(ResultSchema))
  },
  { ...closed, description: 'the report of momock exam' }
)

export type Step = Static<typeof StepSchema>
export type Result = Static<typeof ResultSchema>
export type Report = Static<typeof ReportSchema>
