/** Where a server is, as somebody on this machine would type it. */
export function urlOf (host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

/** An address that paths are written after: without a slash at its end. */
export function baseOf (url: string): string {
  return url.replace(/\/+$/, '')
}

/** An address as it may be shown: without the password that stands in it. */
export function withoutPassword (url: string): string {
  return url.replace(/^(\w+:\/\/[^/?#@:]*):[^/?#]*@/, '$1:[hidden]@')
}

/** Is it an address that only this machine can reach? */
export function isLoopback (host: string): boolean {
  return /^((::ffff:)?127\.|::1$|localhost$)/i.test(host)
}
