/**
 * Reports are passed on: to build servers, to issues, to a provider's support. So they show names
 * and codes, and no other value that a server sent or a recording holds.
 */

const hidden = '[hidden]'

/** Letters and few digits: a number of a customer or a part of a token has more of them. */
const fieldName = /^([a-z_$][A-Za-z_$-]{0,39}|[A-Z][A-Z_]{0,39})$/
const codeWord = /^[A-Z][A-Z_]{0,59}$/
const mostDigits = 3

/** A name of a field as it may be shown. */
export function showName (name: string): string {
  const [letters, digits] = withoutDigits(name)
  return digits <= mostDigits && fieldName.test(letters) ? name : hidden
}

/** A value as it may be shown: a code, a small number, or only what sort of value it is. */
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

/** A path as it may be shown: parts that are not plain words stand for whatever was there. */
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

/** A content type as it may be shown. */
export function showMediaType (type: string): string {
  if (type === '') return 'something without a content type'
  const [letters, digits] = withoutDigits(type)
  const isPlain = digits <= mostDigits && /^[a-z]{1,20}\/[a-z.+-]{1,40}$/.test(letters)
  return isPlain ? type : 'another content type'
}

/** An address as it may be shown: without a password, a query or a fragment. */
export function showUrl (url: string): string {
  if (!URL.canParse(url)) return hidden
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
}

function withoutDigits (text: string): [letters: string, digits: number] {
  const letters = text.replace(/\d/g, '')
  return [letters, text.length - letters.length]
}

/** Removes known secrets from a text that is about to be shown or written. */
export function removeSecrets (text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= 4)
    .reduce((rest, secret) => rest.replaceAll(secret, hidden), text)
}
