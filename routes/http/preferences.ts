/** A value of a header such as Accept, in lower case, and how much the client wants it. */
export interface Preference {
  value: string
  /** From 0, not at all, to 1. */
  quality: number
}

/** Reads a header such as `text/html, application/json;q=0.8`, the most wanted value first. */
export function readPreferences (header = ''): Preference[] {
  const preferences = header.split(',').map((part) => {
    const [value, ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
    return { value, quality: Number(quality) || 0 }
  })
  return preferences.sort((one, other) => other.quality - one.quality)
}
