const problems: Record<string, string> = {
  ECONNREFUSED: 'no server listens there',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name is unknown',
  ECONNRESET: 'the connection was closed without an answer',
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  HPE_INVALID_CONSTANT: 'the server does not use HTTP',
  EHOSTUNREACH: 'the address cannot be reached',
  ENETUNREACH: 'the address cannot be reached'
}

/** Returns the reason why a request got no answer, from the error that fetch threw. */
export function explainNoAnswer (
  error: unknown,
  timeoutMs: number
): { problem: string; code: string } {
  if ((error as Error).name === 'TimeoutError') {
    const limit = timeoutMs % 1000 === 0 ? `${timeoutMs / 1000} s` : `${timeoutMs} ms`
    return { problem: `no answer within ${limit}`, code: 'TIMEOUT' }
  }
  const { cause } = error as {
    cause?: NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] }
  }
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? 'UNKNOWN'
  if (cause?.message === 'bad port') {
    return { problem: 'HTTP clients refuse this port; choose another port', code }
  }
  return { problem: problems[code] ?? cause?.message ?? (error as Error).message, code }
}
