import pino, { type Logger, type LoggerOptions } from 'pino'
import { hasColours } from './colour.ts'

/** Headers with tokens. The log shows the header name and hides its value. */
const secrets = [
  'headers.authorization',
  '*.headers.authorization',
  'headers["x-momock-admin-token"]',
  '*.headers["x-momock-admin-token"]'
]

/** Creates the logger: readable text, or one JSON object per line. */
export async function createLogger (level: string, readable: boolean): Promise<Logger> {
  const options: LoggerOptions = {
    level,
    base: undefined,
    redact: { paths: secrets, censor: '[redacted]' },
    // Removes tokens from the finished line, because they can also appear in messages and errors.
    hooks: {
      streamWrite: (line) => line.replace(/\bBearer\s+(?:\\.|[^\s"\\])+/gi, 'Bearer [redacted]')
    }
  }
  if (!readable) return pino(options)
  const { default: pretty } = await import('pino-pretty')
  return pino(
    options,
    pretty({
      colorize: hasColours(process.stdout, process.env),
      ignore: 'pid,hostname',
      translateTime: 'SYS:HH:MM:ss',
      sync: true
    })
  )
}
