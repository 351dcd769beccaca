import { styleText } from 'node:util'

/** Colours of our own output. NO_COLOR and FORCE_COLOR decide first, then the terminal. */

/** Style of a text. */
export type TextStyle = 'bold' | 'dim' | 'cyan' | 'green' | 'yellow' | 'red'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns true if output to a stream has colours. */
export function hasColours (stream: object, env: Environment): boolean {
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: terminal } = env
  if (force !== undefined) return force !== '0' && force !== 'false'
  if (none !== undefined && none !== '') return false
  return 'isTTY' in stream && stream.isTTY === true && terminal !== 'dumb'
}

/** Adds a style to a text if the stream has colours. */
export function paintText (
  style: TextStyle,
  text: string,
  stream: object,
  env: Environment
): string {
  // `styleText` reads `process.env`. The caller's environment decides here instead.
  return hasColours(stream, env) ? paintAlways(style, text) : text
}

/** Adds a style to a text. The caller has asked whether its stream has colours. */
export function paintAlways (style: TextStyle, text: string): string {
  return styleText(style, text, { validateStream: false })
}
