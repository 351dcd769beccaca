import { marked, type Token } from 'marked'
import { readGuideFile } from './library.ts'
import { anchorOf } from './markdown.ts'

/** Search in the pages of the guide, by paragraphs, items of lists and rows of tables. */

/** A paragraph of a page, with the heading above it. */
export interface Passage {
  page: string
  title: string
  heading: string
  text: string
}

const passages = new Map<string, Passage[]>()
const limit = 30

/** Finds the passages with the most words, those with the words in their heading first. */
export function search (pages: readonly string[], words: readonly string[]): Passage[] {
  if (words.length === 0) return []
  const found = pages.flatMap(passagesOf).map((passage) => {
    const text = `${passage.title} ${passage.heading} ${passage.text}`.toLowerCase()
    const heading = `${passage.title} ${passage.heading}`.toLowerCase()
    const count = (place: string): number => words.filter((word) => place.includes(word)).length
    return { passage, count: count(text), inHeading: count(heading) }
  })
  const most = Math.max(0, ...found.map(({ count }) => count))
  return found
    .filter(({ count }) => count === most && count * 2 >= words.length)
    .sort((a, b) => b.inHeading - a.inHeading)
    .slice(0, limit)
    .map(({ passage }) => passage)
}

function passagesOf (page: string): Passage[] {
  let list = passages.get(page)
  if (list === undefined) passages.set(page, (list = readPassages(page)))
  return list
}

function readPassages (page: string): Passage[] {
  const list: Passage[] = []
  let title = page
  let heading = ''
  const add = (text: string): void => {
    list.push({ page, title, heading, text: plainText(text) })
  }
  for (const token of marked.lexer(readGuideFile(page) ?? '')) {
    if (token.type === 'heading' && token.depth === 1) title = plainText(token.text)
    else if (token.type === 'heading') heading = plainText(token.text)
    else textsOf(token).forEach(add)
  }
  return list
}

function textsOf (token: Token): string[] {
  switch (token.type) {
    case 'table':
      return token.rows.map((row: Array<{ text: string }>) =>
        row.map(({ text }) => text).join(' · ')
      )
    case 'list':
      return token.items.map(({ text }: { text: string }) => text)
    case 'paragraph':
      return [token.text]
    default:
      return []
  }
}

function plainText (markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<br>/g, ' ')
    .replace(/\*\*|`/g, '')
    .replace(/\s+/g, ' ')
}

/** Link to the heading of a passage. */
export function anchorOfPassage ({ heading }: Passage): string {
  return heading === '' ? '' : `#${anchorOf(heading)}`
}
