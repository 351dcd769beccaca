/** Writer of tar archives in the ustar format of POSIX, for a few regular files. */

const blockSize = 512

/** Fields of a header: offset and length in bytes. */
const fields = {
  name: [0, 100],
  mode: [100, 8],
  owner: [108, 8],
  group: [116, 8],
  size: [124, 12],
  time: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8]
} as const

/** Returns the header and the padded content of a file. The time is in milliseconds. */
export function writeTarEntry (name: string, content: Buffer, time: number): Buffer {
  if (Buffer.byteLength(name) > fields.name[1]) throw new Error(`the name ${name} is too long`)
  const header = Buffer.alloc(blockSize)
  const put = (field: keyof typeof fields, text: string): void => {
    header.write(text, fields[field][0], 'latin1')
  }
  const octal = (field: keyof typeof fields, value: number): void =>
    put(field, value.toString(8).padStart(fields[field][1] - 1, '0'))
  put('name', name)
  octal('mode', 0o644)
  octal('owner', 0)
  octal('group', 0)
  octal('size', content.length)
  octal('time', Math.max(0, Math.floor(time / 1000)))
  put('type', '0')
  put('magic', 'ustar\0' + '00')
  // The checksum counts its own field as spaces.
  put('checksum', ' '.repeat(fields.checksum[1]))
  const sum = header.reduce((total, byte) => total + byte, 0)
  put('checksum', `${sum.toString(8).padStart(6, '0')}\0 `)
  const padding = Buffer.alloc((blockSize - (content.length % blockSize)) % blockSize)
  return Buffer.concat([header, content, padding])
}

/** End of an archive: two empty blocks. */
export const tarEnd = Buffer.alloc(2 * blockSize)
