import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TProperties } from '@sinclair/typebox'
import ts from 'typescript'
import { AccountPatch } from '../src/admin-api/accounts.ts'
import { ConfigSchema } from '../src/config/config.ts'

/** Writes docs/client.md from the types of the client: `npm run docs:client`. */

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Sections of the page: a heading, and the class or interface whose members it lists. A line such
 * as `// Clock` between the members begins a section of its own.
 */
const sections: Array<[heading: string, file: string, name: string]> = [
  ['Connection and events', 'src/client/admin-connection.ts', 'AdminConnection'],
  ['Client', 'src/client/client.ts', 'MomockClient'],
  ['Only for a mock in this process', 'src/index.ts', 'Momock'],
  ['Only with `tls: true`', 'src/client/tls-properties.ts', 'TlsAccess']
]

/** Types with options of calls. */
const optionTypes: Array<[file: string, name: string]> = [
  ['src/client/options.ts', 'EffectOptions'],
  ['src/client/options.ts', 'OutcomeOptions'],
  ['src/client/options.ts', 'Outage'],
  ['src/client/options.ts', 'EventWaitOptions'],
  ['src/client/options.ts', 'WaitOptions'],
  ['src/client/options.ts', 'CoverageOptions'],
  ['src/client/options.ts', 'EventOptions'],
  ['src/client/admin-connection.ts', 'ClientOptions']
]

/** Member of a class or an interface. */
interface Member {
  name: string
  signature: string
  text: string
}

/** Everything that the page shows, by heading. */
export function listMembers (): Map<string, Member[]> {
  return new Map([
    ...sections.flatMap(([heading, file, name]) => [...readSections(heading, file, name)]),
    ...optionTypes.flatMap(([file, name]) => [...readSections(`\`${name}\``, file, name)])
  ])
}

/** The page. */
export function clientPage (): string {
  const parts = [...listMembers()].map(([heading, members]) => writeSection(heading, members))
  return `# Methods of the client

\`createMomock()\` and \`connectMomock(url, token)\` return an object with these methods.
[testing](testing.md) shows how to use them. \`npm run docs:client\` writes this page from the
types.

${parts.join('\n\n')}

## Options of \`createMomock()\`

They are the settings of the [configuration](configuration.md), and two more. \`tls: true\` adds a
TLS listener on a free port. \`onUnmatched: 'throw'\` lets \`expect\`, \`reset\` and \`close\` throw
if a request had no operation or no account. Without others, \`port\` is 0, \`db\` is
\`:memory:\` and \`logLevel\` is \`silent\`.

${writeFields('Option', ConfigSchema.properties)}

## Settings of \`configure()\`

\`configure({ … })\` replaces the settings that it names; \`null\` removes one. \`callbacks\` is one
URL for all kinds, or an object with one for each kind.

${writeFields('Setting', AccountPatch.properties)}
`
}

/** A table of the fields of a schema, with their descriptions and defaults. */
function writeFields (head: string, fields: TProperties): string {
  const rows = Object.entries(fields).map(([name, schema]) => {
    const { description = '', default: preset } = schema
    const usual = preset === undefined ? '' : `; \`${String(preset)}\` by default`
    return `| \`${name}\` | ${escapePipes(description + usual)} |`
  })
  return [`| ${head} | Meaning |`, '|---|---|', ...rows].join('\n')
}

function writeSection (heading: string, members: readonly Member[]): string {
  const rows = members.map(
    ({ signature, text }) => `| \`${escapePipes(signature)}\` | ${escapePipes(text)} |`
  )
  return [`## ${heading}`, '', '| Member | Meaning |', '|---|---|', ...rows].join('\n')
}

function escapePipes (text: string): string {
  return text.replaceAll('|', '\\|')
}

function readSections (heading: string, file: string, name: string): Map<string, Member[]> {
  const text = readFileSync(join(root, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = source.statements.find(
    (node): node is ts.ClassDeclaration | ts.InterfaceDeclaration =>
      (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) && node.name?.text === name
  )
  if (found === undefined) throw new Error(`there is no ${name} in ${file}`)
  const read = new Map<string, Member[]>()
  let section = heading
  for (const member of found.members) {
    section = readHeading(text, member) ?? section
    if (member.name === undefined || isHidden(member)) continue
    const members = read.get(section) ?? []
    read.set(section, members)
    members.push({
      name: member.name.getText(),
      signature: writeSignature(member),
      text: readComment(member)
    })
  }
  return read
}

/** The line above a member that begins a section. */
function readHeading (text: string, member: ts.Node): string | undefined {
  return ts
    .getLeadingCommentRanges(text, member.pos)
    ?.filter(({ kind }) => kind === ts.SyntaxKind.SingleLineCommentTrivia)
    .map(({ pos, end }) => text.slice(pos + 2, end).trim())
    .at(-1)
}

function isHidden (member: ts.ClassElement | ts.TypeElement): boolean {
  const modifiers = ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : []
  return (
    (member.name !== undefined && ts.isPrivateIdentifier(member.name)) ||
    modifiers.some(({ kind }) =>
      [ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ProtectedKeyword].includes(kind)
    )
  )
}

function writeSignature (member: ts.ClassElement | ts.TypeElement): string {
  const name = member.name?.getText() ?? ''
  if (ts.isMethodDeclaration(member)) {
    const parameters = member.parameters.map(writeParameter).join(', ')
    return `${name}(${parameters}): ${oneLine(member.type?.getText() ?? 'void')}`
  }
  const mark = 'questionToken' in member && member.questionToken !== undefined ? '?' : ''
  const type = 'type' in member ? (member.type as ts.Node | undefined)?.getText() : undefined
  return `${name}${mark}: ${oneLine(type ?? 'unknown')}`
}

function writeParameter (parameter: ts.ParameterDeclaration): string {
  const { name, type, initializer, questionToken, dotDotDotToken } = parameter
  const word = ts.isIdentifier(name) ? name.text : 'options'
  const mark = initializer === undefined && questionToken === undefined ? '' : '?'
  const written = type === undefined ? 'string' : oneLine(type.getText())
  return `${dotDotDotToken === undefined ? '' : '...'}${word}${mark}: ${written}`
}

function oneLine (text: string): string {
  return text.replace(/\s+/g, ' ')
}

function readComment (member: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(member)
  return oneLine(ts.getTextOfJSDocComment(comment?.comment) ?? '')
}

if (import.meta.main) writeFileSync(join(root, 'docs/client.md'), clientPage())
