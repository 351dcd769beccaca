import { ReportSchema } from '../reports/exam/report.ts'
import { closed, text, Type } from '../lib/typebox.ts'

/** Requests and answers of the calls about the report of `momock exam`. */

export const ExamReport = ReportSchema

export const ExamQuery = Type.Object(
  {
    account: Type.Optional(
      text('the name of an account, for browsers, which send no token')
    )
  },
  closed
)
