import { closed, Type } from '../src/lib/typebox.ts'
import { isTooDeep } from '../src/lib/json-limits.ts'
import { isObject } from '../src/lib/json.ts'
import { createValidator, type Validator } from '../src/lib/validator.ts'
import { findStateProblem } from '../src/accounts/stored-state.ts'
import type { AccountSettings } from '../src/domain/account-settings.ts'
import { effectiveSettings, type AccountState } from '../src/domain/account.ts'
import { bytesToUuid } from '../src/lib/ids.ts'
import { CopiedNumbers, type CopiedRow } from './copied-numbers.ts'
import { HeaderSchema, tableForms, type TableForm } from './snapshot-schemas.ts'

/**
 * Check of a snapshot file, line by line. A file comes from outside, so it is checked like the body
 * of a request: nothing later has to expect a value that the server would not have written itself.
 */

/** Returns the problems of settings that their schema cannot find. */
export type SettingsCheck = (
  settings: AccountSettings
) => ReadonlyArray<{ field: string; says: string }>

const headerValidator = createValidator(HeaderSchema, 'the line')

/** Form of the rows of a table with the variants that depend on a value. */
class RowForm {
  readonly #json: readonly string[]
  readonly #by: string | undefined
  readonly #usual: Validator
  readonly #variants: ReadonlyMap<string, Validator>

  constructor ({ columns, json = [], variants }: TableForm) {
    this.#json = json
    this.#by = variants?.by
    this.#usual = createValidator(Type.Object(columns, closed), 'the row')
    this.#variants = new Map(
      Object.entries(variants?.columns ?? {}).map(([value, others]) => [
        value,
        createValidator(Type.Object({ ...columns, ...others }, closed), 'the row')
      ])
    )
  }

  /** Returns the problem of a row, or undefined. It begins with the column. */
  findProblem (row: CopiedRow): string | undefined {
    const read = { ...row }
    for (const column of this.#json) {
      const text = row[column]
      if (typeof text !== 'string') continue
      const value = readJson(text)
      if (value === undefined) return `${column} must be JSON, nested at most 64 times`
      read[column] = value
    }
    const value = this.#by === undefined ? undefined : row[this.#by]
    const validator = this.#variants.get(String(value)) ?? this.#usual
    if (!validator.check(read)) return validator.first(read)?.message
    // A column of JSON is a text, so null in the text is no value.
    const plain = this.#json.find((column) => read[column] === null && row[column] !== null)
    return plain === undefined ? undefined : `${plain} must not be the text null`
  }
}

function readJson (text: string): unknown {
  if (isTooDeep(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const rowForms = new Map(
  Object.entries(tableForms).map(([table, form]) => [table, new RowForm(form)])
)

/** Check of one file. */
export class SnapshotCheck {
  readonly numbers = new CopiedNumbers()
  /** Numbers of attempts of the callbacks. */
  readonly #attempts = new Map<number, number>()
  readonly #checkSettings: SettingsCheck

  constructor (checkSettings: SettingsCheck) {
    this.#checkSettings = checkSettings
  }

  /** Returns the problem of the first line, or undefined. */
  findHeaderProblem (header: unknown): string | undefined {
    if (!headerValidator.check(header)) return headerValidator.first(header)?.message
    const { now: _, seed: __, errors: ___, ...state } = header.state
    const problem = findStateProblem(state) ?? this.#findSettingsProblem(state as AccountState)
    return problem === undefined ? undefined : `state.${problem}`
  }

  #findSettingsProblem ({ patched = {} }: AccountState): string | undefined {
    const [problem] = this.#checkSettings(effectiveSettings({ name: 'imported' }, patched))
    return problem === undefined ? undefined : `patched.${problem.field} ${problem.says}`
  }

  /** Returns the problem of the next row, or undefined. */
  findRowProblem (table: string, row: CopiedRow): string | undefined {
    const form = rowForms.get(table)
    if (form === undefined) return `there is no table '${table.slice(0, 40)}'`
    return (
      form.findProblem(row) ??
      this.numbers.addRow(table, row) ??
      findOtherId(table, row) ??
      this.#findExtraAttempt(table, row)
    )
  }

  /** The next attempt of a callback has the number of its attempts. */
  #findExtraAttempt (table: string, row: CopiedRow): string | undefined {
    if (table === 'callbacks') this.#attempts.set(Number(row.seq), Number(row.attempts))
    if (table !== 'attempts') return undefined
    const attempts = this.#attempts.get(Number(row.callback)) ?? 0
    return Number(row.n) < attempts
      ? undefined
      : `n must be less than ${attempts}, the attempts of its callback, got ${row.n}`
  }
}

/** A payment is found by one identifier and shown with the other: they must be the same. */
function findOtherId (table: string, { id, details }: CopiedRow): string | undefined {
  if (table !== 'payments' || !isObject(id)) return undefined
  const shown: unknown = JSON.parse(String(details)).id
  const found = bytesToUuid(Buffer.from(String(id.base64), 'base64'))
  return String(shown).toLowerCase() === found
    ? undefined
    : `details.id must be ${found}, which is the identifier of the row`
}
