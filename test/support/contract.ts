import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** Checks what a server answers and sends against its own OpenAPI document. */
export interface Contract {
  /** Returns the differences between an answer and the document. */
  answer: (
    method: string,
    path: string,
    status: number,
    contentType: string,
    body: unknown
  ) => string | undefined
  /** Returns the differences between a callback and the document. */
  callback: (body: unknown) => string | undefined
}

type Document = Record<string, any>

export function contract (document: Document): Contract {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'document')
  const compiled = new Map<string, ValidateFunction>()
  const check = (pointer: string[], body: unknown): string | undefined => {
    const keys = pointer.map((key) =>
      encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
    )
    const $ref = `document#/${keys.join('/')}`
    const validate = compiled.get($ref) ?? ajv.compile({ $ref })
    compiled.set($ref, validate)
    return validate(body)
      ? undefined
      : `${ajv.errorsText(validate.errors, { dataVar: 'body' })} in ${JSON.stringify(body)}`
  }
  const templates = Object.keys(document.paths)
    .map((template) => ({
      template,
      pattern: new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`),
      holes: template.split('{').length
    }))
    .sort((a, b) => a.holes - b.holes)

  return {
    answer: (method, path, status, contentType, body) => {
      const bare = path.split('?', 1)[0].replace(/\/+/g, '/')
      const template = templates.find(
        ({ template, pattern }) =>
          pattern.test(bare) && method.toLowerCase() in document.paths[template]
      )?.template
      if (template === undefined) return missing(bare, status, contentType, body)
      const { responses } = document.paths[template][method.toLowerCase()]
      const documented = status in responses ? String(status) : `${String(status)[0]}XX`
      const response = responses[documented]
      if (response === undefined) {
        return `status ${status} is not documented: ${JSON.stringify(body)}`
      }
      const type = contentType.split(';', 1)[0]
      if (response.content === undefined || body === undefined) {
        return body === undefined ? undefined : 'a body is not documented'
      }
      if (!(type in response.content)) return `the content type '${type}' is not documented`
      return check(
        [
          'paths',
          template,
          method.toLowerCase(),
          'responses',
          documented,
          'content',
          type,
          'schema'
        ],
        body
      )
    },
    callback: (body) => {
      const isDocumented = Object.keys(document.webhooks).some(
        (name) =>
          check(
            ['webhooks', name, 'post', 'requestBody', 'content', 'application/json', 'schema'],
            body
          ) === undefined
      )
      return isDocumented ? undefined : `no webhook is documented with ${JSON.stringify(body)}`
    }
  }
}

/**
 * Checks the answer of an undocumented path: it must be the refusal of a version. Pages for people
 * are not in the document.
 */
function missing (
  path: string,
  status: number,
  contentType: string,
  body: unknown
): string | undefined {
  if (contentType.startsWith('text/html')) return undefined
  const keys = Object.keys(body as object).join()
  if (path.startsWith('/__admin')) {
    return [400, 401, 404, 405].includes(status) && keys === 'error'
      ? undefined
      : `it answers ${status} and is not documented`
  }
  const wanted = path.startsWith('/v2/') ? 'status,failureReason' : 'errorId,errorCode,errorMessage'
  if (![400, 404].includes(status)) {
    return (
      `it answers ${status} and is not documented: its config must say { documentation: { id, ` +
      'summary, tag } }'
    )
  }
  return keys === wanted ? undefined : `the refusal has ${keys} instead of ${wanted}`
}
