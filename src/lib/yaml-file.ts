import { readFileSync } from 'node:fs'
import type { TSchema } from '@sinclair/typebox'
import type { LineCounter, ParsedNode } from 'yaml'
import { createValidator, type Validator } from './validator.ts'

/** A file a user wrote, in YAML or JSON, and what is wrong with it, each with its line. */
export interface YamlFile {
  value: unknown
  problems: string[]
}

export interface FileProblem {
  path: string
  message: string
}

/**
 * All that is wrong with a value, when this is what its schema says of it: where the problem is,
 * and what.
 */
export type ReviewFile = (value: unknown, unfit: readonly FileProblem[]) => readonly FileProblem[]

/**
 * Reads a file, checks it against a schema and lets it be reviewed; all problems at once, in the
 * order of their lines.
 */
export async function readYamlFile (
  path: string,
  schema: TSchema,
  review: ReviewFile = (_, unfit) => unfit
): Promise<YamlFile> {
  const text = read(path)
  if (text instanceof Error) return { value: undefined, problems: [`${path}: ${unreadable(text)}`] }
  const yaml = await import('yaml')
  const lines = new yaml.LineCounter()
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false })
  if (document.errors.length > 0) {
    const told = document.errors
      .slice(0, mostSlips)
      .map(
        ({ code, message, pos }) =>
          `${path}:${lines.linePos(pos[0]).line}: ` +
          `${code === 'MULTIPLE_DOCS' ? 'a second document begins here; there can be one only' : clipped(message)}`
      )
    return {
      value: undefined,
      problems: [...told, ...more(path, document.errors.length - told.length)]
    }
  }
  try {
    // An empty file says nothing, and that is no mistake.
    const value = document.toJS() ?? {}
    const unfit = checkerOf(schema).all(value)
    const found = review(value, unfit).map((problem) => ({
      ...problem,
      line: lineOf(yaml, document.contents, lines, problem.path)
    }))
    const told = found
      .sort((a, b) => a.line - b.line)
      .slice(0, mostProblems)
      .map(({ line, message }) => `${path}:${line}: ${message.replace(/^the value/, 'the file')}`)
    return { value, problems: [...told, ...more(path, found.length - told.length)] }
  } catch (error) {
    // An alias without an anchor, or aliases that would grow without end.
    return { value: undefined, problems: [`${path}: ${(error as Error).message}`] }
  }
}

/**
 * In what is no YAML, one slip makes many others; and a file with many problems is another file
 * than was meant.
 */
const mostSlips = 3
const mostProblems = 20
const longestMessage = 160

function clipped (message: string): string {
  return message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message
}

function more (path: string, count: number): string[] {
  return count === 0 ? [] : [`${path}: and ${count} more`]
}

const checkers = new WeakMap<TSchema, Validator>()

/** One for all files of a kind: to make one takes longer than to read a file. */
function checkerOf (schema: TSchema): Validator {
  const known = checkers.get(schema) ?? createValidator(schema)
  checkers.set(schema, known)
  return known
}

function read (path: string): string | NodeJS.ErrnoException {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

function unreadable ({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EISDIR') return 'this is a folder, not a file'
  return `it cannot be read (${message})`
}

/**
 * The line of the last key on a dotted path that is there: that of the key itself, or of what
 * should have held it.
 */
function lineOf (
  { isMap, isScalar, isSeq }: typeof import('yaml'),
  contents: ParsedNode | null,
  lines: LineCounter,
  path: string
): number {
  let node: unknown = contents
  let offset = 0
  for (const key of path.split('.')) {
    const step = isMap<ParsedNode, ParsedNode>(node)
      ? node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)
      : undefined
    const item = isSeq<ParsedNode>(node) ? node.items[Number(key)] : undefined
    const found = step?.key ?? item
    if (found === undefined) break
    offset = found.range[0]
    node = item ?? step?.value
  }
  return lines.linePos(offset).line
}
