import type { Writable } from 'node:stream'
import { version } from '../lib/package.ts'
import { groups, listExits, listFlags, listSettings, type Command } from './command.ts'

/** Help texts, wrapped to the width of the terminal. */

/** Width of the text beside the flags, below which it goes under them. */
const leastBeside = 36
/** Widest help text: longer lines are hard to read. */
const mostColumns = 120

/** Returns the width for a help text. Output that is not a terminal is not wrapped. */
export function findWidth (out: Writable): number {
  const { isTTY, columns } = out as { isTTY?: boolean; columns?: number }
  return isTTY === true && columns !== undefined ? Math.min(columns, mostColumns) : Infinity
}

/** Returns the text of `momock NAME --help`. */
export function formatCommandHelp (command: Command, width = Infinity): string {
  const { name, words, summary, examples, notes = '' } = command
  const exits = listExits(command).map(([code, text]) => `${code} ${text}.`)
  const own = listFlags(command).length + listSettings(command).length
  const usage = ['momock', name, ...(own > 0 ? ['[flags]'] : []), ...(words ?? '').split(' ')]
  return [
    wrapText(`${usage.join(' ').trim()}: ${summary}`, width),
    '',
    formatFlags(command, width),
    '',
    'Examples:',
    ...examples.map((line) => `  ${line}`),
    '',
    ...(notes === '' ? [] : [wrapText(notes, width)]),
    wrapText(`Exit codes: ${exits.join(' ')}`, width)
  ].join('\n')
}

/** Returns the text of `momock --help`: all commands, and the flags of `momock start`. */
export function formatProgramHelp (commands: readonly Command[], width = Infinity): string {
  const names = commands.map(({ name, words = '' }) => `momock ${name} ${words}`.trimEnd())
  const longest = Math.max(...names.map((name) => name.length))
  const usages = Object.entries(groups).flatMap(([key, title]) => [
    '',
    `${title}:`,
    ...commands.flatMap(({ group, summary }, n) =>
      group === key ? [layOut([names[n].padEnd(longest)], summary, width)] : []
    )
  ])
  return [
    wrapText(`momock ${version}: a mock server for a merchant mobile-money payments API`, width),
    ...usages,
    '',
    'Examples:',
    ...programExamples.map((line) => `  ${line}`),
    '',
    wrapText(
      'Run momock COMMAND --help for the details of a command. Without a command, momock starts ' +
        'the server with these flags:',
      Math.min(width, 100)
    ),
    '',
    formatFlags(commands[0], width),
    '',
    wrapText(programNotes, Math.min(width, 100))
  ].join('\n')
}

const programExamples = [
  'momock                          # serves http://127.0.0.1:7070',
  'momock send deposit             # in a second terminal: makes a deposit and follows it',
  'momock --callback-url http://127.0.0.1:3000/callbacks',
  'momock --db :memory: --clock frozen'
]

const programNotes =
  'A flag overrides its variable. A variable overrides the configuration file. The file ' +
  'overrides the default. An empty variable counts as not set. PORT and HOST are used if ' +
  'MOMOCK_PORT and MOMOCK_HOST are not set. NO_COLOR=1 disables colours, FORCE_COLOR=1 enables ' +
  'them.\nExit codes: 0 success, or stopped by a signal. 1 a check failed, or an internal error. ' +
  '2 wrong arguments or wrong configuration. 3 the address cannot be used. 4 the ledger cannot ' +
  'be used.'

function formatFlags (command: Command, width: number): string {
  const shared = listSettings(command)
  const rows = [
    { flag: 'flag', variable: shared.length > 0 ? 'variable' : '', what: 'meaning [default]' },
    ...[...listFlags(command).map((row) => ({ ...row, variable: '' })), ...shared].map((row) => ({
      flag: row.flag,
      variable: row.variable,
      what: `${row.description}${row.default === undefined ? '' : ` [${row.default}]`}`
    })),
    { flag: '--help', variable: '', what: 'prints this text' },
    { flag: '--version', variable: '', what: 'prints the version' }
  ]
  const flagWidth = Math.max(...rows.map(({ flag }) => flag.length))
  const variableWidth = Math.max(...rows.map(({ variable }) => variable.length))
  return rows
    .map(({ flag, variable, what }) =>
      layOut([flag.padEnd(flagWidth), variable.padEnd(variableWidth)], what, width)
    )
    .join('\n')
}

/** Puts a text beside its columns, or under them if the terminal is narrow. */
function layOut (columns: string[], text: string, width: number): string {
  const first = `  ${columns.join('  ')}`
  const beside = width - first.length - 2
  if (beside >= leastBeside) {
    const [head, ...rest] = wrapText(text, beside).split('\n')
    const indent = ' '.repeat(first.length + 2)
    return [`${first}  ${head}`, ...rest.map((line) => indent + line)].join('\n')
  }
  const under = wrapText(text, width - 6).split('\n')
  return [first.trimEnd(), ...under.map((line) => `      ${line}`)].join('\n')
}

/** Breaks a text into lines of at most this width. Its own line breaks stay. */
export function wrapText (text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => {
      if (line.length <= width || line.startsWith(' ')) return line
      const lines = ['']
      for (const word of line.split(' ')) {
        const last = lines[lines.length - 1]
        if (last === '') lines[lines.length - 1] = word
        else if (last.length + 1 + word.length <= width) lines[lines.length - 1] += ` ${word}`
        else lines.push(word)
      }
      return lines.join('\n')
    })
    .join('\n')
}
