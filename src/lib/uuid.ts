/** Value of each character as a hexadecimal digit. */
const worth = new Uint8Array(128)
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  worth[digit.charCodeAt(0)] = worth[digit.toUpperCase().charCodeAt(0)] = value
}

/** Position of the two digits of each byte in a UUID. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

/**
 * Converts a UUID to 16 bytes. The index takes half the space, and upper and lower case are the
 * same identifier. Every request needs it, so it avoids regular expressions.
 */
export function uuidToBytes (id: string): Buffer {
  const id16 = Buffer.allocUnsafe(16)
  for (let i = 0; i < 16; i++) {
    id16[i] = (worth[id.charCodeAt(places[i])] << 4) | worth[id.charCodeAt(places[i] + 1)]
  }
  return id16
}

/** Converts 16 bytes to a UUID in lower case. */
export function bytesToUuid (id: Buffer): string {
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
