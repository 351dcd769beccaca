import { readFileSync } from 'node:fs'
import type { Random } from '../../support/random.ts'

/** What `record-writes.c` has recorded, and the disk as a loss of power would leave it. */

export type DiskEvent =
  | { what: 'write'; name: string; offset: number; data: Buffer }
  | { what: 'cut'; name: string; length: number }
  | { what: 'sync'; name: string }
  | { what: 'delete'; name: string }
  | { what: 'send'; data: Buffer }

/** The letter, and the three numbers of 8 bytes. */
const headLength = 25

export function readRecord (path: string): DiskEvent[] {
  const record = readFileSync(path)
  const events: DiskEvent[] = []
  for (let at = 0; at + headLength <= record.length;) {
    const what = String.fromCharCode(record[at])
    const [nameLength, offset, length] = [1, 9, 17].map((place) => {
      return Number(record.readBigUInt64LE(at + place))
    })
    const nameEnd = at + headLength + nameLength
    // The process was killed in the middle of its last record.
    if (nameEnd + length > record.length) break
    const name = record.toString('utf8', at + headLength, nameEnd)
    const data = record.subarray(nameEnd, nameEnd + length)
    if (what === 'W') events.push({ what: 'write', name, offset, data })
    else if (what === 'T') events.push({ what: 'cut', name, length: offset })
    else if (what === 'S') events.push({ what: 'sync', name })
    else if (what === 'D') events.push({ what: 'delete', name })
    else events.push({ what: 'send', data })
    at = nameEnd + length
  }
  return events
}

/** A disk may write sectors of this size in any order. */
const sectorBytes = 512

/**
 * The files as a loss of power after these events leaves them: what was synced is there; of what
 * was not, nothing is, or, where `random` is given, any sectors are.
 */
export function filesAfterPowerLoss (
  events: readonly DiskEvent[],
  random?: Random
): Map<string, Buffer> {
  const files = new Map<string, File>()
  const fileOf = (name: string): File => {
    const file = files.get(name) ?? { content: Buffer.alloc(0), length: 0, pending: [] }
    files.set(name, file)
    return file
  }
  for (const event of events) {
    if (event.what === 'send') continue
    if (event.what === 'delete') {
      files.delete(event.name)
      continue
    }
    const file = fileOf(event.name)
    if (event.what !== 'sync') file.pending.push(event)
    else for (const change of file.pending.splice(0)) apply(file, change)
  }
  for (const file of files.values()) {
    if (random !== undefined) for (const change of file.pending) applySome(file, change, random)
  }
  return new Map(
    [...files].map(([name, { content, length }]) => {
      return [name, content.subarray(0, length)]
    })
  )
}

type Change = Extract<DiskEvent, { what: 'write' | 'cut' }>

interface File {
  content: Buffer
  length: number
  pending: Change[]
}

function apply (file: File, change: Change): void {
  if (change.what === 'cut') {
    file.content.fill(0, Math.min(change.length, file.content.length))
    file.length = change.length
    return
  }
  const end = change.offset + change.data.length
  if (end > file.content.length) {
    const larger = Buffer.alloc(Math.max(end, file.content.length * 2))
    file.content.copy(larger)
    file.content = larger
  }
  change.data.copy(file.content, change.offset)
  file.length = Math.max(file.length, end)
}

function applySome (file: File, change: Change, random: Random): void {
  if (change.what === 'cut') {
    if (random.chance(0.5)) apply(file, change)
    return
  }
  for (let at = 0; at < change.data.length; at += sectorBytes) {
    if (random.chance(0.5)) continue
    const data = change.data.subarray(at, at + sectorBytes)
    apply(file, { ...change, offset: change.offset + at, data })
  }
}
