import { isIP } from 'node:net'

/** Returns the bytes of an IP address, as certificates contain them. */
export function addressBytes (address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  // The URL parser writes an IPv4 part in hexadecimal, and the longest row of zeros as '::'.
  const [start, end] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [head, tail] = [start, end ?? ''].map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  const groups = [...head, ...zeros, ...tail]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
