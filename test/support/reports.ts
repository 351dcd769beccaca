import { marked, type Tokens } from 'marked'
import { SaxesParser } from 'saxes'

/** Reports as strangers read them: strict parsers of XML and Markdown. */

export interface JunitCase {
  suite: string
  name: string
  failure?: string
  skipped?: string
}

export interface JunitReport {
  tests: number
  failures: number
  skipped: number
  cases: JunitCase[]
}

/**
 * Reads JUnit XML; throws where it is not well formed, or its counts are not those of its cases.
 */
export function readJunit (xml: string): JunitReport {
  const parser = new SaxesParser()
  const report: JunitReport = { tests: 0, failures: 0, skipped: 0, cases: [] }
  let suite = ''
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const value = (key: string): string => String(attributes[key] ?? '')
    if (name === 'testsuites') {
      Object.assign(report, {
        tests: Number(value('tests')),
        failures: Number(value('failures')),
        skipped: Number(value('skipped'))
      })
    } else if (name === 'testsuite') suite = value('name')
    else if (name === 'testcase') report.cases.push({ suite, name: value('name') })
    else if (name === 'failure') report.cases.at(-1)!.failure = ''
    else if (name === 'skipped') report.cases.at(-1)!.skipped = value('message')
    else throw new Error(`<${name}> is not JUnit`)
  })
  parser.on('text', (text) => {
    const last = report.cases.at(-1)
    if (last?.failure !== undefined && text.trim() !== '') last.failure += text
  })
  parser.write(xml).close()
  const counted = [
    report.cases.length,
    report.cases.filter(({ failure }) => failure !== undefined).length,
    report.cases.filter(({ skipped }) => skipped !== undefined).length
  ]
  if (counted.join() !== [report.tests, report.failures, report.skipped].join()) {
    throw new Error(`the counts are ${counted.join()}`)
  }
  return report
}

export interface MarkdownReport {
  headings: string[]
  listItems: string[]
  tables: Array<{ head: string[]; rows: string[][] }>
}

/** Reads Markdown: what a reader sees as headings, lists and tables. */
export function readMarkdown (text: string): MarkdownReport {
  const report: MarkdownReport = { headings: [], listItems: [], tables: [] }
  marked.walkTokens(marked.lexer(text), (token) => {
    if (token.type === 'heading') report.headings.push(plain((token as Tokens.Heading).tokens))
    if (token.type === 'list_item') report.listItems.push(plain((token as Tokens.ListItem).tokens))
    if (token.type === 'table') {
      const { header, rows } = token as Tokens.Table
      report.tables.push({
        head: header.map((cell) => plain(cell.tokens)),
        rows: rows.map((row) => row.map((cell) => plain(cell.tokens)))
      })
    }
  })
  return report
}

/** The text that a reader sees. */
function plain (tokens: Array<{ type: string; text?: string; tokens?: any[] }>): string {
  return tokens
    .map((token) => (token.tokens !== undefined ? plain(token.tokens) : (token.text ?? '')))
    .join('')
}
