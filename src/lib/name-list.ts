/** Most names that a message lists. */
const mostNamed = 3

/** Lists names for a message. Only the number of the others is given. */
export function listNames (names: readonly string[]): string {
  const named = names.slice(0, mostNamed).join(', ')
  return names.length > mostNamed ? `${named} and ${names.length - mostNamed} more` : named
}
