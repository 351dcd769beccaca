import { isObject } from './json.ts'

/** Fields of JSON by their dotted path: `payer.accountDetails.provider`. */

/** Reads a field; undefined if the path leads nowhere. */
export function readPath (value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((holder, key) => (isObject(holder) ? holder[key] : undefined), value)
}

/** Changes a field whose object exists. */
export function writePath (value: unknown, path: string, field: unknown): void {
  const end = path.lastIndexOf('.')
  const holder = end === -1 ? value : readPath(value, path.slice(0, end))
  if (isObject(holder)) holder[path.slice(end + 1)] = field
}
