import type { TProperties } from '@sinclair/typebox'
import { answerWord, closed, describe, Type } from '../lib/typebox.ts'

/** HTTP status of each error code of the admin API. */
export const errorStatuses = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  TIMEOUT: 408,
  CONFLICT: 409,
  TOO_LARGE: 413,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503
} as const

export type ErrorCode = keyof typeof errorStatuses

const errorCodes = Object.keys(errorStatuses) as ErrorCode[]

/** Creates the schema of an error answer; some calls add fields to the error. */
export function createErrorSchema<Fields extends TProperties> (fields: Fields) {
  return Type.Object(
    {
      error: Type.Object(
        {
          code: describe('what kind of error it is', answerWord(...errorCodes)),
          message: Type.String({ description: 'what is wrong' }),
          hint: Type.String({ description: 'how to fix it' }),
          ...fields
        },
        closed
      )
    },
    { ...closed, description: 'The error: what is wrong and how to fix it.' }
  )
}

export const AdminErrorAnswer = createErrorSchema({})
