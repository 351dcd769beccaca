import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { commands, shells } from '../../src/cli/commands.ts'
import { folder } from '../support/helper.ts'
import { runCommand } from '../support/command-runner.ts'

/** Completion in real shells. */

const sh = promisify(execFile)

/** Returns the words that a shell offers after each line. */
type Complete = (script: string, lines: string[], scratch: string) => Promise<string[][]>

const completions: Record<(typeof shells)[number], Complete> = {
  bash: async (script, lines) =>
    await Promise.all(
      lines.map(async (line) => {
        const words = line.split(' ')
        const program = `source '${script}'
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_momock
printf '%s\\n' "\${COMPREPLY[@]}"`
        return listWords((await sh('bash', ['--norc', '-c', program])).stdout)
      })
    ),
  zsh: completeInZsh,
  fish: async (script, lines, scratch) =>
    await Promise.all(
      lines.map(async (line) => {
        const program = `source '${script}'; complete -C'${line}'`
        const { stdout } = await sh('fish', ['--no-config', '-c', program], { cwd: scratch })
        return listWords(stdout.replaceAll(/\t.*$/gm, ''))
      })
    )
}

function listWords (text: string): string[] {
  return text
    .split('\n')
    .filter((word) => word !== '')
    .sort()
}

/** Types the lines into an interactive zsh, presses Tab, and notes what it would add. */
async function completeInZsh (
  script: string,
  lines: string[],
  scratch: string
): Promise<string[][]> {
  const out = (index: number): string => join(scratch, `offered-${index}`)
  // Keys that arrive before the line editor runs are lost, so each line waits until it is ready.
  const typed = lines.map(
    (line, index) => `zpty -r z ignored '*READY*'
zpty -n -w z '${line}'$'\\t\\x15out=${out(index + 1)}; : > $out\\n'`
  )
  const program = `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PROMPT=; unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D'
zpty -w z 'source ${script}'
zpty -w z 'compadd () {
  local -a hits
  if [[ " $*[1,(i)(-|--)] " == *" -"[OAD]" "* ]]; then builtin compadd "$@"; return; fi
  builtin compadd -A hits "$@"; print -rl -- $hits >> $out
}'
zpty -w z 'out=${out(0)}; : > $out; zle-line-init () { print REA""DY }; zle -N zle-line-init'
${typed.join('\n')}
zpty -r z ignored '*READY*'
zpty -d z`
  await sh('zsh', ['-f', '-c', program], { cwd: scratch, timeout: 20_000 })
  return lines.map((_, index) => listWords(readFileSync(out(index), 'utf8')))
}

const names = [...commands.map(({ name }) => name), 'help'].sort()
const offered: Array<[line: string, words: string[]]> = [
  ['momock ', names],
  ['momock ta', ['tail']],
  ['momock send re', ['refund', 'remittance']],
  ['momock send --ph', ['--phone-number']],
  ['momock start --clock ', ['frozen', 'running']],
  ['momock --cloc', ['--clock']],
  ['momock --log-format p', ['pretty']],
  ['momock payments --kind dep', ['deposit']],
  ['momock completion ', ['bash', 'fish', 'zsh']],
  ['momock help doc', ['doctor']]
]

for (const shell of shells) {
  const isInstalled = await sh(shell, ['--version']).then(
    () => true,
    () => false
  )
  const options = { skip: !isInstalled && `${shell} is not installed` }
  t.test(`${shell} completes commands, flags and values`, options, async (t) => {
    const scratch = folder(t)
    const script = join(scratch, `momock.${shell}`)
    writeFileSync(script, (await runCommand(t, ['completion', shell])).stdout)
    const words = await completions[shell](
      script,
      offered.map(([line]) => line),
      scratch
    )
    for (const [index, [line, expected]] of offered.entries()) {
      // bash offers the flags, too, and zsh and fish only after a dash.
      const own = words[index].filter((word) => !word.startsWith('--') || line.includes(' --'))
      t.same(own, expected, line)
    }
  })
}

t.test('every shell knows every command', async (t) => {
  for (const shell of shells) {
    const { code, stdout } = await runCommand(t, ['completion', shell])
    t.equal(code, 0)
    for (const { name } of commands) t.match(stdout, name, `${shell} has ${name}`)
  }
})
