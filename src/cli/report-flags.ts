import { Type } from '../lib/typebox.ts'

/** Flags that name the file of a report. */

export const Json = Type.Optional(
  Type.String({
    minLength: 1,
    description: 'a file for the report as JSON; - for the standard output'
  })
)

export const Markdown = Type.Optional(
  Type.String({
    minLength: 1,
    description: 'a file for the report as Markdown; - for the standard output'
  })
)

export const Junit = Type.Optional(
  Type.String({
    minLength: 1,
    description: 'a file for the report as JUnit XML; - for the standard output'
  })
)
