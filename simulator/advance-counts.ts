/** Numbers of what happened during an advance. */
export interface AdvanceCounts {
  /** Payments that went from one state to another. */
  transitions: number
  /** Attempts at delivering a callback. */
  callbacks: number
  /** Checkouts and links that ran out. */
  expirations: number
  /** Checkouts among the payments. */
  expiredCheckouts: number
}

export function newAdvanceCounts (): AdvanceCounts {
  return { transitions: 0, callbacks: 0, expirations: 0, expiredCheckouts: 0 }
}

/** Adds counts to others. */
export function addCounts (counts: AdvanceCounts, added: AdvanceCounts): void {
  counts.transitions += added.transitions
  counts.callbacks += added.callbacks
  counts.expirations += added.expirations
  counts.expiredCheckouts += added.expiredCheckouts
}
