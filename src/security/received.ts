import type { BareItem, Dictionary, InnerList } from 'structured-headers'
import { quoteComponent, type Component, type Message } from './components.ts'
import { label as ours } from './signature.ts'
import { structured } from './structured.ts'

/** Reads the two headers of a received signature. */

/** Most components of a signature. */
const maxComponents = 64

export interface ReceivedSignature {
  label: string
  components: Component[]
  parameters: ReadonlyMap<string, BareItem>
  /** Components and parameters of the base, in the received order and the canonical form. */
  input: string
  /** The same as it was sent, if it is known. */
  sent: string | undefined
  value: Buffer
}

/**
 * Returns the signature of a message, or the reason why there is none. It has our label, or it is
 * the only one.
 */
export function readSignature ({ headers }: Message): ReceivedSignature | { problem: string } {
  const [inputHeader, valueHeader] = ['signature-input', 'signature'].map((name) =>
    [headers[name] ?? []].flat().join(', ')
  )
  const missing = [
    ['Signature-Input', inputHeader],
    ['Signature', valueHeader]
  ]
    .filter(([, header]) => header === '')
    .map(([name]) => name)
  if (missing.length > 0) {
    return {
      problem:
        `the ${missing.join(' and the ')} header ${missing.length === 1 ? 'is' : 'are'} ` +
        'missing; this account takes signed requests only'
    }
  }
  const inputs = dictionary(inputHeader)
  if (inputs === undefined) {
    return {
      problem:
        `the Signature-Input header cannot be read; it must look like ${ours}=("@method" ` +
        '"@path");keyid="…";created=…'
    }
  }
  const values = dictionary(valueHeader)
  if (values === undefined) {
    return { problem: `the Signature header cannot be read; it must look like ${ours}=:BASE64:` }
  }
  const label = inputs.has(ours) ? ours : inputs.size === 1 ? [...inputs.keys()][0] : undefined
  if (label === undefined) {
    return {
      problem:
        `the Signature-Input header holds ${[...inputs.keys()].join(', ')}; call one of them ` +
        `${ours}, or send just one`
    }
  }
  const input = inputs.get(label) as InnerList
  if (!structured().isInnerList(input)) {
    return { problem: `the Signature-Input header has no list of components for ${label}` }
  }
  const value = values.get(label)?.[0]
  if (!(value instanceof ArrayBuffer)) {
    return {
      problem:
        value === undefined
          ? `the Signature header holds ${[...values.keys()].join(', ')}, but not ${label}, ` +
            'which the Signature-Input header describes'
          : `the Signature header has no value between colons for ${label}`
    }
  }
  return (
    components(input) ?? {
      label,
      components: input[0].map(([name, parameters]) => ({ name: String(name), parameters })),
      parameters: input[1],
      input: structured().serializeInnerList(input),
      sent: inputs.size === 1 ? inputHeader.slice(inputHeader.indexOf('=') + 1).trim() : undefined,
      value: Buffer.from(value)
    }
  )
}

/** Returns the problem of a list of components, or undefined. */
function components ([items]: InnerList): { problem: string } | undefined {
  if (items.length > maxComponents) {
    return {
      problem:
        `the Signature-Input header covers ${items.length} components; at most ` +
        `${maxComponents} are looked at`
    }
  }
  const names = items.map(([name, parameters]) =>
    typeof name === 'string' ? quoteComponent({ name, parameters }) : undefined
  )
  if (names.includes(undefined)) {
    return { problem: 'the Signature-Input header has a component that is not in quotes' }
  }
  const twice = names.find((name, index) => names.indexOf(name) < index)
  return twice === undefined
    ? undefined
    : { problem: `the Signature-Input header covers ${twice} twice` }
}

function dictionary (header: string): Dictionary | undefined {
  try {
    return structured().parseDictionary(header)
  } catch {
    return undefined
  }
}
