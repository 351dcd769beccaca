import type { TSchema } from '@sinclair/typebox'
import { ConfigError } from '../config/config.ts'
import { commonFlags } from '../config/flags.ts'
import { quoteWord } from '../lib/shell.ts'
import { exitCodes, listFlags, listSettings, type Command, type RunCommand } from './command.ts'
import { commands, shells } from './commands.ts'

/** What can follow a command: its flags with their values, and its words. */
interface Choices {
  name: string
  summary: string
  words: readonly string[]
  flags: Array<{ flag: string; description: string; takesValue: boolean; values: string[] }>
}

const formats: Record<(typeof shells)[number], (choices: Choices[]) => string> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish
}

/** `momock completion SHELL`: prints a script that completes commands, flags and values. */
export const run: RunCommand = async ({ words: [word, ...more], out }) => {
  const shell = shells.find((name) => name === word)
  if (shell === undefined || more.length > 0) {
    const got =
      word === undefined ? 'name a shell' : `'${[word, ...more].join(' ')}' is not a shell`
    throw new ConfigError([`${got}: momock completion SHELL; it is one of ${shells.join(', ')}`])
  }
  out.write(formats[shell]([...commands.map(listChoices), helpChoices]))
  return exitCodes.fine
}

const helpChoices: Choices = {
  name: 'help',
  summary: 'prints the help text of a command',
  words: commands.map(({ name }) => name),
  flags: []
}

function listChoices (command: Command): Choices {
  const rows = [...listFlags(command), ...listSettings(command)].map(
    ({ flag, description, schema }) => ({
      flag,
      description,
      takesValue: schema.type !== 'boolean',
      values: listValues(schema)
    })
  )
  const common = commonFlags.map((flag) => ({
    flag,
    description: flag === '--help' ? 'prints the help text' : 'prints the version',
    takesValue: false,
    values: []
  }))
  const { name, summary, choices = [] } = command
  return { name, summary, words: choices, flags: [...rows, ...common] }
}

/** Returns the values of a flag that is one of some words. */
function listValues ({ anyOf }: TSchema): string[] {
  const texts: unknown[] = (anyOf ?? []).map((schema: TSchema) => schema.const)
  return texts.every((text) => typeof text === 'string') ? texts : []
}

function writeBash (choices: Choices[]): string {
  const cases = choices.map(({ name, words, flags }) => {
    const values = flags
      .filter(({ takesValue }) => takesValue)
      .map(
        ({ flag, values }) =>
          `        ${flag}) ${values.length === 0 ? 'return' : `words='${values.join(' ')}'`} ;;`
      )
    const all = [...flags.map(({ flag }) => flag), ...words].join(' ')
    return `    ${name})
      case "$previous" in
${values.join('\n')}
        *) words='${all}' ;;
      esac
      ;;`
  })
  // A value that no list knows is probably a file: the default of bash completes it.
  return `_momock () {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="\${COMP_WORDS[1]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${choices.map(({ name }) => name).join(' ')}'
    case "$word" in -*) words='${choices[0].flags.map(({ flag }) => flag).join(' ')}' ;; esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    return
  fi
  case "$command" in
    -*) command=start ;;
  esac
  case "$command" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _momock momock
`
}

function writeZsh (choices: Choices[]): string {
  const names = choices.map(({ name, summary }) => quoteWord(`${name}:${summary}`))
  const cases = choices.map(({ name, words, flags }) => {
    const rows = flags.map(({ flag, description, takesValue, values }) => {
      const text = `${flag}[${description.replaceAll(/[[\]:]/g, ' ')}]`
      const value = values.length === 0 ? ':value:_files' : `:value:(${values.join(' ')})`
      return quoteWord(takesValue ? text + value : text)
    })
    const word = words.length === 0 ? '*:file:_files' : `1:word:(${words.join(' ')})`
    return `    ${name}) _arguments ${[...rows, quoteWord(word)].join(' \\\n      ')} ;;`
  })
  return `#compdef momock
_momock () {
  local -a commands
  commands=(${names.join(' \\\n    ')})
  if (( CURRENT == 2 )) && [[ "$words[2]" != -* ]]; then
    _describe command commands
    return
  fi
  local command="$words[2]"
  if [[ "$command" == -* ]]; then command=start; else shift words; (( CURRENT-- )); fi
  case "$command" in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _momock ]; then _momock "$@"; else compdef _momock momock; fi
`
}

function writeFish (choices: Choices[]): string {
  const lines = choices.flatMap(({ name, summary, words, flags }) => [
    `complete -c momock -f -n __fish_use_subcommand -a ${name} -d ${quoteFish(summary)}`,
    ...words.map(
      (word) => `complete -c momock -f -n '__fish_seen_subcommand_from ${name}' -a ${word}`
    ),
    ...flags.map(({ flag, description, takesValue, values }) => {
      const value = !takesValue ? '' : values.length === 0 ? ' -r' : ` -x -a '${values.join(' ')}'`
      const when =
        name === 'start'
          ? "'__fish_use_subcommand; or __fish_seen_subcommand_from start'"
          : `'__fish_seen_subcommand_from ${name}'`
      const text = quoteFish(description)
      return `complete -c momock -n ${when} -l ${flag.slice(2)}${value} -d ${text}`
    })
  ])
  return `${lines.join('\n')}\n`
}

/** Quotes a text for fish, which escapes a quote inside quotes. */
function quoteFish (text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
