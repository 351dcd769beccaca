import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { anchorOf } from '../../routes/guide/markdown.ts'

/**
 * The documents, as a reader of them sees them: sections, and blocks of code with what is said
 * about each.
 */

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Documents in French; their commands are those of the English ones. */
export const translations: readonly string[] = filesIn('docs/fr', /\.md$/)

/** Every document that is written for users and contributors. */
export const documents: readonly string[] = [
  ...filesIn('.', /^[A-Z]+\.md$/),
  ...['docs', 'docs/project'].flatMap((folder) => filesIn(folder, /\.md$/)),
  'scenarios/README.md',
  'skills/momock/SKILL.md',
  ...readdirSync(join(root, 'examples')).map((name) => `examples/${name}/README.md`)
]

function filesIn (folder: string, name: RegExp): string[] {
  return readdirSync(join(root, folder))
    .filter((file) => name.test(file))
    .map((file) => join(folder, file))
}

/** A document without its blocks of code. */
export function withoutCode (document: string): string {
  return read(document).replace(/^```[^]*?^```/gm, '')
}

/** What links to the headings of a document end with: `#built-in-receiver`. */
export function anchorsOf (document: string): Set<string> {
  return new Set(
    [...withoutCode(document).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading))
  )
}

/** A fenced block of code. */
export interface Block {
  /** Position of its first line: docs/admin.md:12. */
  where: string
  /** The heading above it, of the first or second level. */
  section: string
  language: string
  text: string
  /** Comment before it: `<!-- not run: why -->`, `<!-- file: path -->`. */
  mark?: { name: string; value: string }
  /** The block that comes next in the section, if that is the answer to this one. */
  answer?: Block
}

/** The blocks of a document, in order. */
export function blocksOf (document: string): Block[] {
  const blocks: Block[] = []
  let section = ''
  let open: Block | undefined
  let before = ''
  for (const [index, line] of read(document).split('\n').entries()) {
    if (open !== undefined) {
      if (line === '```') open = undefined
      else open.text += `${line}\n`
      continue
    }
    const [, language] = /^```(\w*)$/.exec(line) ?? []
    if (language !== undefined) {
      const [, name, value] = /^<!-- ([a-z ]+): (.+) -->$/.exec(before) ?? []
      open = {
        where: `${document}:${index + 1}`,
        section,
        language,
        text: '',
        ...(name !== undefined && { mark: { name, value } })
      }
      const last = blocks.at(-1)
      if (
        (language === 'json' || language === 'text') &&
        last?.language === 'sh' &&
        last.section === section
      ) {
        last.answer = open
      }
      blocks.push(open)
    } else if (/^##? /.test(line)) section = line.replace(/^#+ /, '')
    if (line !== '') before = line
  }
  if (open !== undefined) throw new Error(`${open.where}: the block has no end`)
  return blocks
}

/** Times of this day stand for whatever time it is. */
const anyTime = /^2026-01-31T\d\d:\d\d:\d\d(\.\d{3})?Z$/

/**
 * Returns the differences between an answer and the one that a document shows. A shown text that
 * ends with … is the beginning of a text; a list that ends with "…" has more elements; an object
 * with the name "…" has more fields.
 */
export function differences (shown: unknown, got: unknown, path = 'the answer'): string[] {
  if (typeof shown === 'string' && typeof got === 'string') {
    const same = shown.endsWith('…')
      ? got.startsWith(shown.slice(0, -1))
      : anyTime.test(shown)
        ? got.replace(/\d/g, '0') === shown.replace(/\d/g, '0')
        : got === shown
    return same ? [] : [`${path} is '${got}', and not '${shown}'`]
  }
  if (Array.isArray(shown) && Array.isArray(got)) {
    const some = shown.at(-1) === '…'
    const first = some ? shown.slice(0, -1) : shown
    const long = got.length === first.length || (some && got.length > first.length)
    return [
      ...(long ? [] : [`${path} has ${got.length} elements`]),
      ...first.flatMap((element, index) => differences(element, got[index], `${path}.${index}`))
    ]
  }
  if (isObject(shown) && isObject(got)) {
    const { '…': some, ...named } = shown
    const more = some === undefined ? Object.keys(got).filter((name) => !(name in named)) : []
    return [
      ...more.map((name) => `${path} has '${name}'`),
      ...Object.entries(named).flatMap(([name, value]) =>
        differences(value, got[name], `${path}.${name}`)
      )
    ]
  }
  return shown === got
    ? []
    : [`${path} is ${JSON.stringify(got)}, and not ${JSON.stringify(shown)}`]
}

function isObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
