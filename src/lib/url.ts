/** Returns the URL of a server for a client on this machine. */
export function urlOf (host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `${scheme}://${name}:${port}`
}

/** Returns a URL without slashes at its end, so that a path can follow. */
export function baseOf (url: string): string {
  return url.replace(/\/+$/, '')
}

/** Hides the password of a URL. */
export function withoutPassword (url: string): string {
  return url.replace(/^(\w+:\/\/[^/?#@:]*):[^/?#]*@/, '$1:[hidden]@')
}

/** Returns whether the setting of the ledger is the URL of a PostgreSQL database. */
export function isPostgresUrl (db: string): boolean {
  return /^postgres(ql)?:/i.test(db)
}

/** Returns the URL of a database without its password and its options. */
export function describeDatabase (url: string): string {
  return withoutPassword(url).replace(/[?#][^]*$/, '')
}

/** Returns true for an address that only this machine can reach. */
export function isLoopback (host: string): boolean {
  return /^((::ffff:)?127\.|::1$|localhost$)/i.test(host)
}
