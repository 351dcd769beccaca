import pino, { type Logger, type LoggerOptions } from 'pino'
import { hasColours } from './colour.ts'
import { showRecord, showText } from './terminal-text.ts'
import { showUrls } from './url.ts'

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
    hooks: { streamWrite: (line) => finishLine(line, readable) }
  }
  if (!readable) return pino(options)
  const { default: pretty } = await import('pino-pretty')
  return pino(
    options,
    pretty({
      colorize: hasColours(process.stdout, process.env),
      ignore: 'pid,hostname',
      translateTime: "UTC:HH:MM:ss'Z'",
      sync: true
    })
  )
}

/**
 * Removes tokens and passwords from the finished line, because they can also appear in messages and
 * errors, and shows what a terminal would obey.
 */
function finishLine (line: string, readable: boolean): string {
  const safe = showUrls(
    line.trimEnd().replace(/\bBearer\s+(?:\\.|[^\s"\\])+/gi, 'Bearer [redacted]')
  )
  // The readable form unpacks the escapes of JSON, so its texts are escaped themselves.
  return `${readable ? JSON.stringify(showRecord(JSON.parse(safe))) : showText(safe)}\n`
}
