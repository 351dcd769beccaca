import { bareHost, isEverywhere } from './hosts.ts'

/** Returns the URL of a server for a client on this machine. */
export function urlOf (host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  const bare = bareHost(host)
  const name = isEverywhere(bare) ? '127.0.0.1' : bare.includes(':') ? `[${bare}]` : bare
  return `${scheme}://${name}:${port}`
}

/** Returns a URL without slashes at its end, so that a path can follow. */
export function baseOf (url: string): string {
  return url.replace(/\/+$/, '')
}

/**
 * Shows a URL or a path without its secrets: the password, the values of the query, because any of
 * them can be a token, and those of the fragment.
 */
export function showUrl (url: string): string {
  const [, place = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#[^]*)?$/.exec(url) ?? []
  return (
    place.replace(/^([\w+.-]+:\/\/[^/@:]*):[^/]*@/, '$1:[hidden]@') +
    query.replace(/([?&][^=&]*=)[^&]+|([?&])[^=&]+(?=&|$)/g, hideValue) +
    fragment.replace(/([#&][^=&]*=)[^&]+/g, '$1[hidden]')
  )
}

/** A part of a query without a name may be a token, too. */
function hideValue (_: string, name?: string, separator = ''): string {
  return `${name ?? separator}[hidden]`
}

/** Shows the URLs and paths of a text without their secrets, also in a text that is JSON. */
export function showUrls (text: string): string {
  return text.replace(/(?:[a-z][\w+.-]{0,20}:)?\/(?:[^\s"\\]|\\[^nrt])*/gi, showUrl)
}

/** Returns whether the setting of the ledger is the URL of a PostgreSQL database. */
export function isPostgresUrl (db: string): boolean {
  return /^\s*postgres(ql)?:/i.test(db)
}

/** Forms of addresses that would be taken for a path: URLs, and names with values of libpq. */
const otherForms = [
  /^[a-z][a-z0-9+.-]*:\/\//i,
  /^(socket:|postgres(ql)?\/\/)/i,
  // A URL without its scheme: user:password@host
  /^\s*[^\s/\\:@]+:[^\s\\]*@[^\s@]*$/,
  /(^|\s)(host|hostaddr|dbname|password)\s*=/,
  /[?&]password=/
]

/** Returns whether the setting of the ledger is the address of something else than PostgreSQL. */
export function isOtherAddress (db: string): boolean {
  return !isPostgresUrl(db) && otherForms.some((form) => form.test(db))
}

/** Returns the URL of a database without its password and its options. */
export function describeDatabase (url: string): string {
  const parsed = parseDatabaseUrl(url)
  if (parsed === undefined) return hideLogin(url)
  const { protocol, username, password, host, pathname } = parsed
  const login = password === '' ? username : `${username}:[hidden]`
  return `${protocol}//${login}${login === '' ? '' : '@'}${host}${pathname}`
}

/** Parameters of a database whose values can have an @. */
const textParameters =
  /[?&](host|user|password|options|application_name|sslrootcert|sslcert|sslkey)=[^&]*/g

/**
 * Reads the URL of a database. Returns undefined for a text that is none, also if the end of a
 * password would be taken for a path or a parameter.
 */
export function parseDatabaseUrl (url: string): URL | undefined {
  if (!/^\s*\w+:\/\//.test(url) || !URL.canParse(url)) return undefined
  const parsed = new URL(url)
  const { pathname, search, hash } = parsed
  const rest = pathname + search.replace(textParameters, '') + hash
  return rest.includes('@') ? undefined : parsed
}

/**
 * Hides the password of a text that is no URL. It ends with the last @, because somebody may have
 * written special characters as they are.
 */
function hideLogin (text: string): string {
  const [shown] = text.trim().split(/[?&]password=/)
  const [, begin = '', login, rest = ''] = /^(\w+:\/*)(?:([^]*)@)?([^]*)$/.exec(shown) ?? []
  const [user] = (login ?? rest).split(':')
  if (login === undefined) return rest.includes(':') ? `${begin}${user}:[hidden]` : begin + rest
  const place = rest.replace(/[?#][^]*$/, '')
  if (login.includes(':')) return `${begin}${user}:[hidden]@${place}`
  // Without slashes, nobody knows whether it is a user or a password.
  return `${begin}${begin.endsWith('//') ? user : '[hidden]'}@${place}`
}
