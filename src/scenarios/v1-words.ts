import { readVersion } from '../domain/api-version.ts'
import { failures } from '../domain/failures.ts'
import { rejections } from '../domain/rejections.ts'
import type { ScenarioProblem } from './script-checks.ts'
import { statuses } from '../domain/status.ts'
import { isObject } from '../lib/json.ts'
import { v2Words } from '../wire/v1/answers.ts'

/** Words of v1 in scenarios. They are read as the words of v2 that mean the same. */

/** A scenario in the words of v2, and a note about each word of v1 that was replaced. */
export interface Reworded {
  written: unknown
  notes: ScenarioProblem[]
}

/**
 * Replaces the words of v1 in a scenario, and the earlier name of `version`. Words that v2 has too
 * stay as they are.
 */
export function replaceV1Words (written: unknown): Reworded {
  const notes: ScenarioProblem[] = []
  const reword = (path: string, word: unknown, known: readonly string[]): unknown => {
    if (typeof word !== 'string' || known.includes(word)) return word
    const meant = Object.hasOwn(v2Words, word) ? v2Words[word] : undefined
    if (meant === undefined || !known.includes(meant)) return word
    notes.push({ path, message: `'${word}' is a word of v1; it is read as ${meant}` })
    return meant
  }
  if (!isObject(written)) return { written, notes }
  const { when: given, script, reject, fail, sequence } = written
  const when = isObject(given) ? readVersion(given) : given
  const fields = isObject(when) ? Object.keys(when) : []
  return {
    written: {
      ...written,
      ...(isObject(when) && {
        when: Object.fromEntries(
          Object.entries(when).map(([field, value]) => [
            fields.includes(v2Words[field])
              ? field
              : String(reword(`when.${field}`, field, ['provider', 'phoneNumber'])),
            value
          ])
        )
      }),
      ...(Array.isArray(script) && {
        script: script.map((step: unknown, index) =>
          isObject(step)
            ? {
                ...step,
                ...('to' in step && { to: reword(`script.${index}.to`, step.to, statuses) }),
                ...('failureCode' in step && {
                  failureCode: reword(
                    `script.${index}.failureCode`,
                    step.failureCode,
                    Object.keys(failures)
                  )
                })
              }
            : step
        )
      }),
      ...('reject' in written && { reject: reword('reject', reject, rejections) }),
      ...('fail' in written && { fail: reword('fail', fail, Object.keys(failures)) }),
      ...(Array.isArray(sequence) && {
        sequence: sequence.map((outcome: unknown, index) =>
          isObject(outcome)
            ? {
                ...outcome,
                ...('fail' in outcome && {
                  fail: reword(`sequence.${index}.fail`, outcome.fail, Object.keys(failures))
                }),
                ...('reject' in outcome && {
                  reject: reword(`sequence.${index}.reject`, outcome.reject, rejections)
                })
              }
            : outcome
        )
      })
    },
    notes
  }
}
