import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { catalogue } from '../../src/exam/catalogue.ts'
import { examine } from '../../src/exam/exam.ts'
import { freePort } from '../support/ports.ts'
import { createMomock } from '../../src/index.ts'
import { limitEachTest } from '../support/limits.ts'

/** Merchants in other languages, started by a command as a user's application is. */

limitEachTest()

const folder = fileURLToPath(new URL('merchants/', import.meta.url))

interface Language {
  ending: string
  probe: [command: string, ...args: string[]]
  command: (file: string) => string
  fails: (text: string) => string[]
}

const languages: Language[] = [
  {
    ending: '.py',
    probe: ['python3', '-c', 'import cryptography'],
    command: (file) => `exec python3 ${file}`,
    fails: (text) => /^FAILS = \[(.*)\]$/m.exec(text)?.[1].match(/[A-Z]{3}-\d\d/g) ?? []
  },
  {
    ending: '.php',
    probe: ['php', '-v'],
    command: (file) => `PHP_CLI_SERVER_WORKERS=8 exec php -S 127.0.0.1:$PORT ${file}`,
    fails: (text) => /^\/\/ fails: (.*)$/m.exec(text)?.[1].match(/[A-Z]{3}-\d\d/g) ?? []
  }
]

/** Checks that these small merchants are built for: they have no job, and no other kinds. */
const isTried = (id: string): boolean => /^SIG-(0[1-57]|10)$|^TRU-0[12]$|^IDE-0[12]$/.test(id)

for (const {
  ending,
  probe: [command, ...args],
  command: start,
  fails
} of languages) {
  const isMissing = spawnSync(command, args).status !== 0
  const skip =
    isMissing && process.env.SAMPLE_TESTS !== 'required' ? `${command} is not installed` : false
  for (const file of readdirSync(folder).filter(
    (name) => name.endsWith(ending) && !name.startsWith('merchant.')
  )) {
    t.test(file, { skip }, async (t) => {
      const text = readFileSync(folder + file, 'utf8')
      const body = {
        amount: '{{amount}}',
        currency: '{{currency}}',
        phoneNumber: '{{phoneNumber}}',
        provider: '{{provider}}'
      }
      const url = 'http://127.0.0.1:{{port}}'
      const { report } = await examine({
        config: {
          callback: `${url}/callbacks`,
          mock: { port: await freePort() },
          start: { command: start(file), ready: `${url}/ready` },
          drive: { deposit: { http: { url: `${url}/pay`, body }, reference: '$.orderId' } },
          observe: {
            http: { url: `${url}/orders/{{reference}}` },
            effects: '$.effects',
            amount: '$.amount'
          },
          settle: '200ms',
          patience: '2s'
        },
        createMock: createMomock,
        checks: catalogue.filter(({ id }) => isTried(id)),
        folder
      })
      const red = report.checks.filter(({ verdict }) => verdict === 'FAILED').map(({ id }) => id)
      const wanted = fails(text)
      t.same(
        red.filter((id) => wanted.includes(id) || !wanted.includes('SIG-07')),
        wanted,
        report.checks.map(({ id, because }) => `${id}: ${because}`).join('\n')
      )
    })
  }
}
