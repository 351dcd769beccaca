/**
 * Puts an entry last into a map of the latest ones, and takes the oldest out if there are too many.
 * Returns the key of that one.
 */
export function keepLatest<Key, Value> (
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number
): Key | undefined {
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return undefined
  const [oldest] = map.keys()
  map.delete(oldest)
  return oldest
}
