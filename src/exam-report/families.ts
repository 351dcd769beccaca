/** Families of checks, by the letters their identifiers begin with. */
export const families = {
  SIG: 'Signatures: who speaks',
  TRU: 'Trust: what is believed of what was said',
  IDE: 'Idempotency: callbacks that come again, late or in another order',
  STA: 'States: what a status means',
  REC: 'Recovery: answers and callbacks that are lost',
  END: 'Endpoint: manners of the callback URL',
  REQ: 'Requests: what is sent to the API'
} as const
