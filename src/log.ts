import pino, { type Logger } from 'pino'

/** Tokens and signatures never reach the log. */
const secrets = ['headers.authorization', '*.headers.authorization', 'headers["x-momock-admin-token"]', '*.headers["x-momock-admin-token"]']

/** Pretty on a terminal, one JSON object per line everywhere else. */
export async function createLog (level: string, terminal: boolean): Promise<Logger> {
  const options = { level, base: undefined, redact: { paths: secrets, censor: 'Bearer [redacted]' } }
  if (!terminal) return pino(options)
  const { default: pretty } = await import('pino-pretty')
  return pino(options, pretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l', sync: true }))
}
