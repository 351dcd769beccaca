/** Annotations of GitHub Actions: commands on the output that show findings next to the code. */

export interface Annotation {
  level: 'error' | 'warning'
  title: string
  message: string
  file?: string
  line?: number
}

/** Writes an annotation as a line of the output. */
export function writeAnnotation ({ level, title, message, file, line }: Annotation): string {
  const place = Object.entries({ file, line, title })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
  return `::${level} ${place.join(',')}::${escapeData(message)}\n`
}

function escapeData (text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty (text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
