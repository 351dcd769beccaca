import { readFileSync } from 'node:fs'
import type { TSchema } from '@sinclair/typebox'
import type { LineCounter, ParsedNode } from 'yaml'
import { createValidator, type Validator } from './validator.ts'

/** Content of a YAML or JSON file, and its problems with line numbers. */
export interface YamlFile {
  value: unknown
  problems: string[]
}

/** One problem in a file: the dotted path of the field, and the message. */
export interface FileProblem {
  path: string
  message: string
}

/** Extends the problems that the schema found with checks that a schema cannot express. */
export type ReviewFile = (
  value: unknown,
  unfit: readonly FileProblem[]
) => readonly FileProblem[] | Promise<readonly FileProblem[]>

/** One problem in a text, with its line if it has one. */
export interface LineProblem {
  line?: number
  message: string
}

/** Reads a file and checks it. Reports all problems at once, in the order of their lines. */
export async function readYamlFile (
  path: string,
  schema: TSchema,
  review?: ReviewFile
): Promise<YamlFile> {
  const text = readText(path)
  if (text instanceof Error) {
    return { value: undefined, problems: [`${path}: ${explainReadError(text)}`] }
  }
  const { value, problems } = await readYamlText(text, schema, review)
  return {
    value,
    problems: problems.map(
      ({ line, message }) => `${path}${line === undefined ? '' : `:${line}`}: ${message}`
    )
  }
}

/** Reads a text and checks it. Reports all problems at once, in the order of their lines. */
export async function readYamlText (
  text: string,
  schema: TSchema,
  review: ReviewFile = (_, unfit) => unfit
): Promise<{ value: unknown; problems: LineProblem[] }> {
  const yaml = await import('yaml')
  const lines = new yaml.LineCounter()
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false })
  if (document.errors.length > 0) {
    const reported = document.errors.slice(0, mostSlips).map(({ code, message, pos }) => ({
      line: lines.linePos(pos[0]).line,
      message: code === 'MULTIPLE_DOCS' ? secondDocument : clipMessage(message)
    }))
    return {
      value: undefined,
      problems: [...reported, ...countRest(document.errors.length - reported.length)]
    }
  }
  try {
    // An empty file is valid.
    const value = document.toJS() ?? {}
    const unfit = findValidator(schema).all(value)
    const found = (await review(value, unfit)).map(({ path, message }) => ({
      line: findLine(yaml, document.contents, lines, path),
      message
    }))
    const reported = found.sort((a, b) => a.line - b.line).slice(0, mostProblems)
    return { value, problems: [...reported, ...countRest(found.length - reported.length)] }
  } catch (error) {
    // The text has an alias without an anchor, or aliases that expand without end.
    return { value: undefined, problems: [{ message: (error as Error).message }] }
  }
}

/** Limits of a report: one syntax error causes many others. */
const mostSlips = 3
const mostProblems = 20
const longestMessage = 160
const secondDocument = 'a second document begins here; a file can only contain one'

function clipMessage (message: string): string {
  return message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message
}

function countRest (count: number): LineProblem[] {
  return count === 0 ? [] : [{ message: `and ${count} more` }]
}

const validators = new WeakMap<TSchema, Validator>()

/** Returns the validator of a schema. Creating one takes longer than reading a file. */
function findValidator (schema: TSchema): Validator {
  const known = validators.get(schema) ?? createValidator(schema, 'the file')
  validators.set(schema, known)
  return known
}

function readText (path: string): string | NodeJS.ErrnoException {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

function explainReadError ({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EISDIR') return 'this is a folder, not a file'
  return `it cannot be read (${message})`
}

/** Finds the line of a dotted path. For a missing key this is the line of its parent. */
function findLine (
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
