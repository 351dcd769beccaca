/** Schemas of the routes of the bare app and of the minimal store, as momock checks them. */

/** @param {object} schema */
const nullable = (schema) => ({ anyOf: [schema, { type: 'null' }] })

export const text = { type: 'string' }
const failureReason = {
  type: 'object',
  required: ['failureCode', 'failureMessage'],
  properties: { failureCode: text, failureMessage: text }
}

const party = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'accountDetails'],
  properties: {
    type: { type: 'string', const: 'MMO' },
    accountDetails: {
      type: 'object',
      additionalProperties: false,
      required: ['phoneNumber', 'provider'],
      properties: {
        phoneNumber: { type: 'string', minLength: 1, maxLength: 64 },
        provider: { type: 'string', minLength: 1, maxLength: 64 }
      }
    }
  }
}

const metadata = {
  type: 'array',
  maxItems: 10,
  items: {
    type: 'object',
    minProperties: 1,
    maxProperties: 2,
    properties: { isPII: { type: 'boolean' } },
    additionalProperties: text
  }
}

export const deposit = {
  type: 'object',
  additionalProperties: false,
  required: ['depositId', 'amount', 'currency', 'payer'],
  properties: {
    depositId: {
      type: 'string',
      minLength: 36,
      maxLength: 36,
      pattern:
        '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$'
    },
    amount: {
      type: 'string',
      minLength: 1,
      maxLength: 23,
      pattern: '^(0|[1-9][0-9]{0,17})([.][0-9]{1,4})?$'
    },
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    payer: party,
    preAuthorisationCode: nullable({ type: 'string', maxLength: 36 }),
    successfulUrl: nullable({ type: 'string', format: 'uri', maxLength: 2048 }),
    failedUrl: nullable({ type: 'string', format: 'uri', maxLength: 2048 }),
    customerMessage: nullable({
      type: 'string',
      minLength: 4,
      maxLength: 22,
      pattern: '^[a-zA-Z0-9 ]+$'
    }),
    clientReferenceId: nullable({ type: 'string', maxLength: 256 }),
    metadata: nullable(metadata)
  }
}

export const initiation = {
  type: 'object',
  required: ['depositId', 'status'],
  properties: { depositId: text, status: text, nextStep: text, created: text, failureReason }
}

export const lookup = {
  type: 'object',
  required: ['status'],
  properties: {
    status: text,
    data: {
      type: 'object',
      required: [
        'depositId',
        'status',
        'amount',
        'currency',
        'country',
        'customerMessage',
        'created',
        'payer'
      ],
      properties: {
        depositId: text,
        status: text,
        amount: text,
        currency: text,
        country: text,
        customerMessage: text,
        clientReferenceId: text,
        created: text,
        providerTransactionId: text,
        failureReason,
        metadata: { type: 'object', additionalProperties: text },
        payer: party
      }
    }
  }
}

/** Payment that the bare app answers. */
export const record = {
  depositId: '8f1e1c1a-7d0e-4d57-9c43-0d3c5b8a2f10',
  status: 'COMPLETED',
  amount: '15',
  currency: 'ZMW',
  country: 'ZMB',
  customerMessage: 'Order 4711',
  clientReferenceId: 'INV-4711',
  created: '2026-01-31T12:00:00Z',
  providerTransactionId: '123456789012345',
  metadata: { orderId: 'ORD-4711' },
  payer: { type: 'MMO', accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' } }
}

export const params = {
  type: 'object',
  properties: {
    depositId: {
      type: 'string',
      pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
    }
  }
}

/**
 * Hook that checks the token of every request but that for the health.
 * @param {import('fastify').FastifyRequest} request
 * @param {import('fastify').FastifyReply} reply
 * @param {() => void} done
 */
export function checkToken (request, reply, done) {
  if (request.url === '/health' || request.headers.authorization === 'Bearer test-token') {
    return done()
  }
  reply.code(401).send({ status: 'REJECTED' })
}
