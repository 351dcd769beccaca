/** Variables such as {{amount}} in texts of the user. */

export type Values = Readonly<Record<string, string>>

const variable = /\{\{\s*(\w+)\s*\}\}/g

/** The names of the variables in a value, at any depth. */
export function variablesIn (value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(variable)].map(([, name]) => name)
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(variablesIn)
}

/** Fills in the variables of a text. A variable without a value stays. */
export function fill (text: string, values: Values): string {
  return text.replace(variable, (whole, name: string) => values[name] ?? whole)
}

/** A value with the variables of every text in it filled in. */
export function fillDeep (value: unknown, values: Values): unknown {
  if (typeof value === 'string') return fill(value, values)
  if (Array.isArray(value)) return value.map((item) => fillDeep(item, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, fillDeep(item, values)])
  )
}

/**
 * Values as variables of a command: amount becomes MOMOCK_AMOUNT, phoneNumber MOMOCK_PHONE_NUMBER.
 */
export function variablesOf (values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [variableOf(name), value])
  )
}

/** Name of the variable that holds a value. */
export function variableOf (name: string): string {
  return `MOMOCK_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}
