import { readFileSync } from 'node:fs'
import type { TSchema } from '@sinclair/typebox'
import type { ErrorCode, LineCounter, ParsedNode } from 'yaml'
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
    const slips = new Map<number, string>()
    for (const { code, message, pos } of document.errors) {
      const { line } = lines.linePos(pos[0])
      // Others in the same line follow from the first.
      if (!slips.has(line)) slips.set(line, slipTexts[code] ?? clipMessage(message))
    }
    const found = [...slips].map(([line, message]) => ({ line, message }))
    const reported = found.slice(0, mostSlips)
    return { value: undefined, problems: [...reported, ...countRest(found.length - mostSlips)] }
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

/** Slips of a writer. The parser names its own parts: "implicit keys", "compact mappings". */
const slipTexts: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: 'this escape is unknown; write two backslashes for one, or use single quotes',
  BAD_INDENT: 'a { or [ is not closed, or what is in it is not indented; close it, or indent more',
  BAD_SCALAR_START: 'a text cannot begin with this character; put it in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    "a second ': ' follows in one field; put the text in quotes, or begin an object on a line of " +
    'its own, indented by two spaces',
  DUPLICATE_KEY: 'this field is in the same object already; remove one of the two',
  MISSING_CHAR: "a quote or a bracket is not closed, or a ':' or a ',' is missing",
  MULTILINE_IMPLICIT_KEY: "a line has no ': '; a field is written as name: value",
  MULTIPLE_DOCS: 'a second document begins here; a file can only contain one',
  TAB_AS_INDENT: 'a tab indents this line; use spaces',
  UNEXPECTED_TOKEN:
    'something does not belong here; a quote, a bracket, a comma or the indentation before it ' +
    'may be wrong'
}

function clipMessage (message: string): string {
  return message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message
}

function countRest (count: number): LineProblem[] {
  return count <= 0 ? [] : [{ message: `and ${count} more` }]
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
  const keys = path.split('.')
  // A name in the file can have dots, too.
  for (let length = 1; length <= keys.length;) {
    const key = keys.slice(0, length).join('.')
    const step = isMap<ParsedNode, ParsedNode>(node)
      ? node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)
      : undefined
    const item = isSeq<ParsedNode>(node) ? node.items[Number(key)] : undefined
    const found = step?.key ?? item
    if (found === undefined) length++
    else {
      offset = found.range[0]
      node = item ?? step?.value
      keys.splice(0, length)
      length = 1
    }
  }
  return lines.linePos(offset).line
}
