/** A UUID as sixteen bytes: half the index, and upper and lower case are the same identifier. */
export function bytes (id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

/** The UUID of these bytes, in lower case. */
export function text (id: Buffer): string {
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
