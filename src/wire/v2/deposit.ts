import { answerWord, closed, orNull, Type } from '../../lib/typebox.ts'
import { isFinal } from '../../domain/status.ts'
import { Amount, Currency, Identifier, PreAuthorisationCode, ReturnUrl } from '../fields.ts'
import type { View } from '../wire.ts'
import { codec } from '../wire.ts'
import {
  commonFields,
  omitUndefined,
  Party,
  readCommon,
  recordFields,
  wireStatus,
  writeRecord
} from './fields.ts'

/** Fields that some providers need to authorise a deposit. */
export const authorisationFields = {
  preAuthorisationCode: Type.Optional(orNull(PreAuthorisationCode)),
  successfulUrl: Type.Optional(orNull(ReturnUrl)),
  failedUrl: Type.Optional(orNull(ReturnUrl))
}

/** Deposits in v2. */
export const deposit = codec({
  request: Type.Object(
    {
      depositId: Identifier,
      amount: Amount,
      currency: Currency,
      payer: Party,
      ...authorisationFields,
      ...commonFields
    },
    { ...closed, description: 'a deposit' }
  ),
  read: (body) => {
    const { preAuthorisationCode, successfulUrl, failedUrl } = body
    const authorisation = omitUndefined({ preAuthorisationCode, successfulUrl, failedUrl })
    return { ...readCommon(body.depositId, body), ...body.payer.accountDetails, ...authorisation }
  },
  record: Type.Object(
    {
      depositId: Identifier,
      ...recordFields,
      status: wireStatus('deposit'),
      payer: Party,
      nextStep: Type.Optional(answerWord('GET_AUTH_URL', 'REDIRECT_TO_AUTH_URL')),
      successfulUrl: Type.Optional(ReturnUrl),
      failedUrl: Type.Optional(ReturnUrl),
      authorizationUrl: Type.Optional(
        Type.String({ format: 'http-url', description: 'where the customer authorises it' })
      )
    },
    closed
  ),
  write: (view, amounts) => Object.assign(writeRecord(view, amounts), writeAuthorisation(view)),
  actions: { resend: true }
})

/** Fields of a deposit whose customer authorises it on a page of the provider. */
function writeAuthorisation ({ payment: { details }, state }: View): object {
  const { authorizationUrl, successfulUrl, failedUrl } = details
  if (authorizationUrl === undefined) return {}
  if (isFinal(state.to)) return { successfulUrl, failedUrl }
  if (state.to === 'ACCEPTED') return { nextStep: 'GET_AUTH_URL', successfulUrl, failedUrl }
  return { nextStep: 'REDIRECT_TO_AUTH_URL', successfulUrl, failedUrl, authorizationUrl }
}
