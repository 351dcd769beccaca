import { deposit, initiation, lookup, params, record } from '../schemas.js'

/** Answers of the stubs: each peer answers the same two requests with constants. */

export const accepted = {
  depositId: record.depositId,
  status: 'ACCEPTED',
  nextStep: 'FINAL_STATUS',
  created: '2026-01-31T12:00:00Z'
}

export const found = { status: 'FOUND', data: record }

const content = (schema: object, example: object): object => ({
  description: 'OK',
  content: { 'application/json': { schema, examples: { stub: { value: example } } } }
})

/** The two requests as an OpenAPI document, for Prism. */
export const document = {
  openapi: '3.0.3',
  info: { title: 'deposits', version: '1' },
  paths: {
    '/v2/deposits': {
      post: {
        requestBody: { required: true, content: { 'application/json': { schema: deposit } } },
        responses: { 200: content(initiation, accepted) }
      }
    },
    '/v2/deposits/{depositId}': {
      get: {
        parameters: [
          {
            name: 'depositId',
            in: 'path',
            required: true,
            schema: params.properties.depositId
          }
        ],
        responses: { 200: content(lookup, found) }
      }
    }
  }
}
