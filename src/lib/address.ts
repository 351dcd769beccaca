import { createServer } from 'node:net'

/** Address that a server listens on. */
export interface Address {
  host: string
  port: number
}

/** Error for an address that cannot be used. The message contains the reason and the fix. */
export class AddressUnusableError extends Error {
  override name = 'AddressUnusable'

  constructor (address: Address, error: NodeJS.ErrnoException, flag: string) {
    const { problem, fix } = explainAddress(address, error, flag)
    super(`${problem}; ${fix}`)
  }
}

/** Tries to listen on an address. Returns the error, if any. */
export function tryListening ({ host, port }: Address): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', resolve)
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}

/** Explains why the server cannot listen on its address, and how to fix it. */
export function explainAddress (
  { port, host }: Address,
  { code, message }: NodeJS.ErrnoException,
  flag = '--port'
): { problem: string; fix: string } {
  switch (code) {
    case 'EADDRINUSE':
      return {
        problem: `port ${port} on ${host} is used by another program`,
        fix: `stop that program, or choose another port with ${flag} (0 uses any free port)`
      }
    case 'EACCES':
      return {
        problem: `this user cannot use port ${port} on ${host}`,
        fix: `choose a port above 1023 with ${flag}`
      }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return {
        problem: `${host} is not an address of this machine`,
        fix: 'use --host 127.0.0.1 for this machine only, or --host 0.0.0.0 for all of its networks'
      }
    default:
      return {
        problem: `the server cannot listen on port ${port} of ${host} (${message})`,
        fix: `choose another address with ${flag} and --host`
      }
  }
}
