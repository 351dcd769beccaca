/** Result of a request that checks which server answers at an address. */
export interface ProbeResult {
  status?: number
  body?: unknown
  /** Date header of the answer. */
  date?: string
  /** Reason for a missing answer, and the error code. */
  problem?: string
  code?: string
}

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

/** Sends one request and waits for the answer, but not longer than the timeout. */
export async function probeServer (
  url: string,
  timeoutMs: number,
  method = 'GET'
): Promise<ProbeResult> {
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs)
    })
    const text = await response.text()
    return {
      status: response.status,
      body: parseJson(text),
      date: response.headers.get('date') ?? undefined
    }
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') {
      return { problem: `no answer within ${timeoutMs} ms`, code: 'TIMEOUT' }
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
}

/** Returns true if a mock answered GET /health. */
export function isMomock ({ status, body }: ProbeResult): boolean {
  return (
    status === 200 &&
    typeof body === 'object' &&
    body !== null &&
    'status' in body &&
    body.status === 'healthy' &&
    'version' in body
  )
}

/** Parses JSON. Other texts are returned unchanged. */
function parseJson (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
