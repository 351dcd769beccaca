/**
 * Faults of an answer: `reset` closes the connection before anything is stored, `lost` stores the
 * payment and sends no answer, `truncated` breaks off in the middle, `slow` sends a few bytes at a
 * time.
 */
export const faults = ['reset', 'lost', 'truncated', 'slow'] as const
export type Fault = (typeof faults)[number]

/** Delay and fault of an answer that a scenario asks for. */
export interface ResponseBehaviour {
  latencyMs?: number
  fault?: Fault
}
