import { createChoice, Type } from '../lib/typebox.ts'
import { closed } from '../wire/fields.ts'

/** Request of the call that sends events. */

export const EventQuery = Type.Object(
  {
    accounts: Type.Optional(
      createChoice(['own', 'all'], {
        description: "'own' for the events of this account, or 'all'; the default is own"
      })
    )
  },
  closed
)
