import { TargetProblem } from './check.ts'
import type { JournalEntry } from './mock.ts'
import { reasonOf } from './request.ts'

/** A wrong token makes status checks, keys and callbacks fail, which looks like many bugs. */

/** Names a request of the application that was refused because of its token, if there is one. */
export function findWrongToken (
  entries: readonly JournalEntry[],
  token: string
): TargetProblem | undefined {
  const denied = entries.find(({ response }) => response.status === 401)
  if (denied === undefined) return undefined
  const { method, path } = denied.request
  return new TargetProblem(
    `the mock refuses the token of the application: ${method} ${path} was answered 401 ` +
      `(${reasonOf(denied)}). Configure the application with the token ${token}`
  )
}
