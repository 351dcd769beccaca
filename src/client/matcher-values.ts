import { MomockError } from './errors.ts'

/**
 * Throws for a value that JSON leaves out or replaces, such as undefined: a matcher without it
 * would fit more than it says, and a test that proves nothing would pass.
 */
export function checkValues (call: string, path: string, value: unknown): void {
  if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) checkValues(call, `${path}.${name}`, part)
  } else if (!isWritten(value)) {
    throw new MomockError(call, 0, {
      code: 'BAD_REQUEST',
      message: `${path} is ${nameOf(value)}, and JSON cannot say that`,
      hint: 'give it a value, or leave the field out if any value fits'
    })
  }
}

function isWritten (value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return value === null || ['string', 'boolean'].includes(typeof value)
}

function nameOf (value: unknown): string {
  return typeof value === 'function' ? `the function ${value.name}` : String(value)
}
