/** What became of a request that was made to see who is there. */
export interface ProbeResult {
  status?: number
  body?: unknown
  /** By the clock of who answered. */
  date?: string
  /** Why there is no answer, and the code of the error. */
  problem?: string
  code?: string
}

const problems: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'nobody knows that name',
  EAI_AGAIN: 'nobody knows that name',
  ECONNRESET: 'the connection was closed without an answer',
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  HPE_INVALID_CONSTANT: 'what answers does not speak HTTP',
  EHOSTUNREACH: 'there is no way to that address',
  ENETUNREACH: 'there is no way to that address'
}

/** Asks once, and waits no longer than this. */
export async function probe (url: string, timeoutMs: number, method = 'GET'): Promise<ProbeResult> {
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs)
    })
    const text = await response.text()
    return {
      status: response.status,
      body: parsed(text),
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
      return { problem: 'this port is kept for another protocol, and HTTP clients refuse it', code }
    }
    return { problem: problems[code] ?? cause?.message ?? (error as Error).message, code }
  }
}

/** Was that the answer of a mock to GET /health? */
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

function parsed (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
