import { choice, closed, Type } from '../lib/typebox.ts'

/** Request of the call that sends events. */

export const EventQuery = Type.Object(
  {
    accounts: Type.Optional(
      choice(['own', 'all'], {
        description: "'own' for the events of this account, or 'all'; the default is own"
      })
    )
  },
  closed
)
