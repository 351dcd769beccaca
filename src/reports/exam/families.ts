/** Families of checks, by the letters their identifiers begin with. */
export const families = {
  SIG: 'Signatures: who sent the callback',
  TRU: 'Trust: amounts, currencies and references',
  IDE: 'Idempotency: repeated, late and reordered callbacks',
  STA: 'States: the meaning of each status',
  REC: 'Recovery: lost answers and lost callbacks',
  END: 'Endpoint: behaviour of the callback URL',
  REQ: 'Requests: what the application sends to the API'
} as const
