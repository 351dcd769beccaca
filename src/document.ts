import { readFileSync } from 'node:fs'
import type { TSchema } from '@sinclair/typebox'
import { checker, type Problem } from './check.ts'

/** A file a user wrote, in YAML or JSON, and what is wrong with it, each with its line. */
export interface Document {
  value: unknown
  problems: string[]
}

/** Reads a file and checks it against a schema; all problems at once. */
export async function readDocument (path: string, schema: TSchema): Promise<Document> {
  const { LineCounter, parseDocument, isNode } = await import('yaml')
  const lines = new LineCounter()
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    return { value: undefined, problems: [`${path}: cannot be read (${(error as Error).message})`] }
  }
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  if (document.errors.length > 0) {
    return { value: undefined, problems: document.errors.map(({ message, pos }) => `${path}:${lines.linePos(pos[0]).line}: ${message}`) }
  }
  const lineOf = ({ path: dotted, rule }: Problem): number => {
    const keys = dotted === '' ? [] : dotted.split('.')
    for (let depth = rule === 'missing' ? keys.length - 1 : keys.length; depth > 0; depth--) {
      const node = document.getIn(keys.slice(0, depth), true)
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
    }
    return 1
  }
  const value = document.toJS() ?? {}
  return { value, problems: checker(schema).all(value).map((problem) => `${path}:${lineOf(problem)}: ${problem.message}`) }
}
