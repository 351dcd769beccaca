import { quoteWord } from './shell.ts'

export interface CurlRequest {
  method: string
  url: string
  headers?: Record<string, string>
  body?: string | undefined
}

export interface CurlStyle {
  /** `-s` shows only the body of the answer, `-i` also its status and headers. */
  option?: '-s' | '-i'
  /** Headers whose values the reader has in variables of the shell. */
  variables?: Record<string, string>
  /** What stands between the parts: a new line for readers, or a space for one line. */
  separator?: string
}

/** Writes a request as a curl command. */
export function writeCurl (
  { method, url, headers = {}, body }: CurlRequest,
  { option = '-s', variables = {}, separator = ' \\\n  ' }: CurlStyle = {}
): string {
  return [
    `curl ${option} ${method === 'GET' ? '' : `-X ${method} `}${quoteWord(url)}`,
    ...Object.entries(variables).map(([name, variable]) => `-H "${name}: $${variable}"`),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteWord(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoteWord(body)}`])
  ].join(separator)
}
