import { ReportSchema } from '../reports/exam/report.ts'
import { Type } from '../lib/typebox.ts'
import { closed } from '../wire/fields.ts'

/** Requests and answers of the calls about the report of `momock exam`. */

export const ExamReport = ReportSchema

export const ExamQuery = Type.Object(
  {
    account: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'the name of an account, for browsers, which send no token'
      })
    )
  },
  closed
)
