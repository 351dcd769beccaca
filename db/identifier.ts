/** A UUID as sixteen bytes: half the index, and upper and lower case are the same identifier. */
export function bytes (id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}
