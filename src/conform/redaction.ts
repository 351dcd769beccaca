/**
 * Redaction of reports. Reports go to build servers, issues and support teams, so they show names
 * and codes but no other values of servers and recordings.
 */

const hidden = '[hidden]'

/** Names have letters and few digits. Phone numbers and tokens have more digits. */
const fieldName = /^([a-z_$][A-Za-z_$-]{0,39}|[A-Z][A-Z_]{0,39})$/
const codeWord = /^[A-Z][A-Z_]{0,59}$/
const mostDigits = 3

/** Returns the name of a field, or [hidden] if it can be personal data. */
export function showName (name: string): string {
  const [letters, digits] = withoutDigits(name)
  return digits <= mostDigits && fieldName.test(letters) ? name : hidden
}

/** Returns a code or a small number, or only the type of other values. */
export function showValue (value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') {
    return Number.isInteger(value) && Math.abs(value) < 1000 ? String(value) : 'another number'
  }
  if (typeof value !== 'string') return Array.isArray(value) ? 'an array' : 'an object'
  const [letters, digits] = withoutDigits(value)
  return digits <= mostDigits && codeWord.test(letters)
    ? value
    : `a string of ${value.length} characters`
}

/** Returns a path with … for each part that is not a plain word. */
export function showPath (path: string): string {
  return path
    .split('?', 1)[0]
    .split('/')
    .map((part) => {
      const [letters, digits] = withoutDigits(part)
      return /^[a-z-]{0,30}$/.test(letters) && digits <= mostDigits && part.length <= 30
        ? part
        : '…'
    })
    .join('/')
}

/** Returns a content type, or a description of an unusual one. */
export function showMediaType (type: string): string {
  if (type === '') return 'an answer without a content type'
  const [letters, digits] = withoutDigits(type)
  const isPlain = digits <= mostDigits && /^[a-z]{1,20}\/[a-z.+-]{1,40}$/.test(letters)
  return isPlain ? type : 'another content type'
}

/** Returns a URL without password, query and fragment. */
export function showUrl (url: string): string {
  if (!URL.canParse(url)) return hidden
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
}

function withoutDigits (text: string): [letters: string, digits: number] {
  const letters = text.replace(/\d/g, '')
  return [letters, text.length - letters.length]
}

/** Shorter values are no secrets, and would hide parts of ordinary words. */
const shortestSecret = 4

/**
 * Returns a function that hides secrets. It reads a text once, however many secrets there are: a
 * recording may have another cookie in each of its requests.
 */
export function secretRemover (secrets: readonly string[]): (text: string) => string {
  // By their beginnings, then by their lengths: the longest secret that fits is hidden.
  const beginnings = new Map<string, Map<number, Set<string>>>()
  const longestFirst = [...new Set(secrets)].sort((one, other) => other.length - one.length)
  for (const secret of longestFirst) {
    if (secret.length < shortestSecret) continue
    const beginning = secret.slice(0, shortestSecret)
    const ofBeginning = beginnings.get(beginning) ?? new Map<number, Set<string>>()
    beginnings.set(beginning, ofBeginning)
    const ofLength = ofBeginning.get(secret.length) ?? new Set()
    ofBeginning.set(secret.length, ofLength.add(secret))
  }
  const findLength = (text: string, at: number): number => {
    const ofBeginning = beginnings.get(text.slice(at, at + shortestSecret)) ?? []
    for (const [length, known] of ofBeginning) {
      if (known.has(text.slice(at, at + length))) return length
    }
    return 0
  }
  return (text) => {
    const parts: string[] = []
    let shown = 0
    for (let at = 0; at < text.length;) {
      const length = findLength(text, at)
      if (length > 0) {
        parts.push(text.slice(shown, at), hidden)
        shown = at + length
      }
      at += Math.max(length, 1)
    }
    return parts.join('') + text.slice(shown)
  }
}
