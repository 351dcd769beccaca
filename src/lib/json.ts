/** Tells whether a JSON value is an object: not an array, and not null. */
export function isObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Copies JSON and changes its simple values. The path has the fields and indexes to a value. */
export function mapValues (
  value: unknown,
  change: (value: unknown, name: string, path: readonly string[]) => unknown,
  path: readonly string[] = []
): unknown {
  const map = ([key, one]: [key: string, one: unknown]): [string, unknown] => [
    key,
    mapValues(one, change, [...path, key])
  ]
  if (Array.isArray(value)) return Object.entries(value).map((entry) => map(entry)[1])
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(map))
  return change(value, path.at(-1) ?? '', path)
}
