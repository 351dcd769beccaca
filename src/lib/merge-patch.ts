import { isObject } from './json.ts'

/** Applies a JSON Merge Patch (RFC 7396): null removes a field, objects are merged. */
export function mergePatch (target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  // A map keeps the name `__proto__` an ordinary name.
  const merged = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}
