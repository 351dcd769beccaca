import type { InnerList, Item, Parameters } from 'structured-headers'
import { structured } from './structured.ts'

/** Components of a message that a signature can cover: RFC 9421, section 2. */

/**
 * A request or an answer. A request has a method, a scheme, an authority and a target; an answer
 * has a status. Names of headers are in lower case.
 */
export interface Message {
  method?: string
  scheme?: 'http' | 'https'
  /** Host header as it was sent. */
  authority?: string
  /** Path and query of the request line. */
  target?: string
  status?: number
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** Component: a header, or a value with @ that is derived from the message. */
export interface Component {
  name: string
  parameters: Parameters
}

/** Value of a component in a message, or the reason why it has none. */
export type Value = { value: string } | { problem: string }

const defaultPorts = { http: ':80', https: ':443' }

/** Headers that are dictionaries; the parameter `sf` needs to know them. */
const dictionaries = [
  'content-digest',
  'repr-digest',
  'want-content-digest',
  'want-repr-digest',
  'signature',
  'signature-input',
  'cache-control',
  'priority'
]

const noParameters: Parameters = new Map()

const derived: Record<string, (message: Message, parameters: Parameters) => string | undefined> = {
  '@method': ({ method }) => method,
  '@scheme': ({ scheme }) => scheme,
  '@authority': authority,
  '@target-uri': (message) =>
    message.target === undefined
      ? undefined
      : `${message.scheme}://${authority(message)}${message.target}`,
  '@request-target': ({ target }) => target,
  '@path': ({ target }) => (target === undefined ? undefined : target.split('?', 1)[0] || '/'),
  '@query': ({ target }) => (target === undefined ? undefined : `?${queryOf(target)}`),
  '@query-param': ({ target }, parameters) =>
    target === undefined ? undefined : queryParameter(queryOf(target), parameters.get('name')),
  '@status': ({ status }) => status?.toString()
}

/** Returns the value of a component in a message. */
export function valueOf ({ name, parameters }: Component, message: Message): Value {
  for (const parameter of ['req', 'tr']) {
    if (parameters.has(parameter)) return { problem: `"${name}";${parameter} is not supported` }
  }
  if (name.startsWith('@')) {
    if (derived[name] === undefined) {
      return {
        problem:
          `"${name}" is not a component that can be derived; there are ` +
          `${Object.keys(derived).join(', ')}`
      }
    }
    const value = derived[name](message, parameters)
    return value === undefined
      ? {
          problem:
            `"${name}" is covered, but the message has no such ` +
            `thing${name === '@query-param' ? ', or has it more than once' : ''}`
        }
      : { value }
  }
  if (name !== name.toLowerCase()) return { problem: `"${name}" must be written in lower case` }
  const header = Object.hasOwn(message.headers, name) ? message.headers[name] : undefined
  if (header === undefined) return { problem: `"${name}" is covered, but there is no such header` }
  return field(name, [header].flat(), parameters)
}

/** Returns a function that reads a component without parameters, which each message must have. */
export function componentReader (name: string): (message: Message) => string {
  const read = derived[name]
  return (message) => {
    const value = read === undefined ? message.headers[name] : read(message, noParameters)
    if (typeof value !== 'string') throw new Error(`the message has no "${name}"`)
    return value.trim()
  }
}

/** Returns a component as a signature base writes it: `"@query-param";name="id"`. */
export function quoteComponent ({ name, parameters }: Component): string {
  return structured().serializeItem([name, parameters])
}

function field (name: string, values: readonly string[], parameters: Parameters): Value {
  const plain = values.map((value) => value.trim()).join(', ')
  if (parameters.has('bs')) {
    return {
      value: values
        .map((value) => `:${Buffer.from(value.trim(), 'latin1').toString('base64')}:`)
        .join(', ')
    }
  }
  const key = parameters.get('key')
  if (key === undefined && !parameters.has('sf')) return { value: plain }
  const { parseDictionary, serializeDictionary, serializeInnerList, serializeItem } = structured()
  try {
    if (key === undefined && !dictionaries.includes(name)) {
      return { problem: `"${name}";sf is not supported: the structure of this header is not known` }
    }
    const dictionary = parseDictionary(plain)
    if (key === undefined) return { value: serializeDictionary(dictionary) }
    const member = dictionary.get(String(key))
    return member === undefined
      ? { problem: `"${name}" has no member "${String(key)}"` }
      : {
          value: Array.isArray(member[0])
            ? serializeInnerList(member as InnerList)
            : serializeItem(member as Item)
        }
  } catch {
    return { problem: `"${name}" cannot be read as a dictionary` }
  }
}

function authority ({ authority, scheme }: Message): string | undefined {
  const host = authority?.toLowerCase()
  const port = defaultPorts[scheme ?? 'http']
  return host?.endsWith(port) === true ? host.slice(0, -port.length) : host
}

function queryOf (target: string): string {
  const start = target.indexOf('?')
  return start < 0 ? '' : target.slice(start + 1)
}

/** Value of a query parameter that occurs once, encoded as the RFC requires. */
function queryParameter (query: string, name: unknown): string | undefined {
  const found = [...new URLSearchParams(query)].filter(([key]) => encoded(key) === name)
  return found.length === 1 ? encoded(found[0][1]) : undefined
}

function encoded (text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()~]/g,
    (outgoing) => `%${outgoing.charCodeAt(0).toString(16).toUpperCase()}`
  )
}
