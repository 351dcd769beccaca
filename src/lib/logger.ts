import pino, { type Logger, type LoggerOptions } from 'pino'

/** Headers that hold a token; the names of the fields are kept, so that one sees they were sent. */
const secrets = [
  'headers.authorization',
  '*.headers.authorization',
  'headers["x-momock-admin-token"]',
  '*.headers["x-momock-admin-token"]'
]

/** Pretty on a terminal, one JSON object per line everywhere else. */
export async function createLogger (level: string, terminal: boolean): Promise<Logger> {
  const options: LoggerOptions = {
    level,
    base: undefined,
    redact: { paths: secrets, censor: '[redacted]' },
    // The last word on a line, whatever field or message it came in by: a token never reaches the
    // log.
    hooks: {
      streamWrite: (line) => line.replace(/\bBearer\s+(?:\\.|[^\s"\\])+/gi, 'Bearer [redacted]')
    }
  }
  if (!terminal) return pino(options)
  const { default: pretty } = await import('pino-pretty')
  return pino(options, pretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l', sync: true }))
}
