import { CodesAnswer } from '../../src/admin-api/codes.ts'
import { customerTexts, v1Names } from '../../src/domain/customer-texts.ts'
import { failures, isFailureCode } from '../../src/domain/failures.ts'
import { kindsRejectedWith } from '../../src/domain/rejections.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { adminCall } from './guard.ts'

const codes = Object.entries(customerTexts).map(([code, customer]) => {
  const means = Object.entries(v1Names).find(([name]) => name === code)?.[1]
  const known = means ?? code
  return {
    code,
    ...(means !== undefined && { means }),
    fails: isFailureCode(known) ? [...failures[known].kinds] : [],
    rejects: [...(kindsRejectedWith(known) ?? [])],
    ...(isFailureCode(known) && { message: failures[known].message }),
    customer
  }
})

/** Call about the codes of payments that fail or are rejected. */
export function codesRoute (app: TypedApp): void {
  app.get(
    '/codes',
    {
      config: adminCall(
        'listCodes',
        'List the codes of failed and rejected payments, with a sentence for customers',
        'The sentences are in English and French, and free to use in a shop.'
      ),
      schema: { response: { 200: CodesAnswer } }
    },
    async () => ({ codes })
  )
}
