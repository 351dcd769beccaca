import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConfigError, settings } from '../config/config.ts'
import { version } from '../lib/version.ts'
import { exitCodes, programName, type RunCommand } from './command.ts'

/** `momock init`: files to begin with. What is there is never written over. */

/** Where the scenario goes, and what the configuration names as its folder. */
const scenarioFolder = 'scenarios'

/** Each file, by its path in the folder, and how it is written there. */
const files: Record<string, (folder: string) => string> = {
  'momock.yaml': configuration,
  [`${scenarioFolder}/declined.yaml`]: scenario,
  'docker-compose.momock.yml': composeFile
}

export const run: RunCommand = async (asked) => {
  const { words, folder: here, out, err } = asked
  if (words.length > 1) throw new ConfigError(['name one folder: momock init [FOLDER]'])
  const folder = words[0] ?? '.'
  let code: number = exitCodes.fine
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    const problem = write(resolve(here, path), text(resolve(here, folder)))
    if (problem === undefined) out.write(`wrote ${path}\n`)
    // A file that is in the way of a folder is there already too, but that is another matter.
    else if (problem.code === 'EEXIST' && problem.syscall === 'open') {
      out.write(`kept  ${path}, which was there already\n`)
    } else {
      err.write(`${path} cannot be written (${problem.message})\n`)
      code = exitCodes.failed
    }
  }
  const start = `${programName(asked)}${folder === '.' ? '' : ` --config ${join(folder, 'momock.yaml')}`}`
  if (code === exitCodes.fine) out.write(`\nNext: ${start.replace(/ --$/, '')}\n`)
  return code
}

/** Writes a file that is not there yet. */
function write (path: string, text: string): NodeJS.ErrnoException | undefined {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

/** Every setting, as a comment that can be taken out of it. */
function configuration (): string {
  const examples: Record<string, string> = {
    publicUrl: 'http://localhost:7070',
    callbackUrl: 'http://127.0.0.1:3000/callbacks',
    adminToken: 'keep-this-to-yourself'
  }
  const rows = settings
    .filter(({ name }) => name !== 'config' && name !== 'scenarios')
    .map(
      ({ name, description, default: preset }) =>
        `# ${description}\n# ${name}: ${preset ?? examples[name] ?? ''}\n`
    )
  return `# The configuration of momock. A flag or a variable wins over what stands here.
# Take the sign off the settings you want to change; momock validate momock.yaml checks them.

# a folder of scenario files
scenarios: ${scenarioFolder}

${rows.join('\n')}
# Accounts beside the built-in one, each with its own tokens, callback URLs, providers and wallets.
# accounts:
#   - name: shop
#     companyName: Corner Shop
#     tokens: [{ token: shop-token }, { token: shop-reports, allow: [read] }]
#     callbacks: { deposits: http://127.0.0.1:3000/callbacks, refunds: http://127.0.0.1:3000/callbacks }
#     providers: [ZMB, MTN_MOMO_RWA]
#     wallets: [{ country: ZMB, currency: ZMW, balance: "500.00" }]
`
}

function scenario (): string {
  return `# Deposits whose metadata say { "story": "declined" } are declined after two seconds.
# A request can also name this file: X-Momock-Scenario: declined
description: The customer declines.
when: { kind: deposit, metadata: { story: declined } }
script:
  - { after: 50ms, to: PROCESSING }
  - { after: 2s, to: FAILED, failureCode: PAYMENT_NOT_APPROVED }
`
}

/**
 * A clone, which has what the image is made from; beside the source, or one folder further up
 * beside the built files.
 */
const clone = ['../..', '../../..']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(join(path, 'Dockerfile')))

function composeFile (folder: string): string {
  const build =
    clone === undefined ? '' : `    build: ${JSON.stringify(relative(folder, clone) || '.')}\n`
  return `# momock alone:                 docker compose -f docker-compose.momock.yml up --wait
# beside your own services:     docker compose -f docker-compose.yml -f docker-compose.momock.yml up --wait
${clone === undefined ? `# The image is made in a clone of momock: docker build -t momock:${version} .\n` : ''}services:
  momock:
${build}    image: momock:${version}
    ports: ["127.0.0.1:7070:7070"]
    environment:
      MOMOCK_PORT: "7070"
      # Where browsers on this machine find the pages that customers are sent to.
      MOMOCK_PUBLIC_URL: http://localhost:7070
      # Where your server takes callbacks: a service of this file, or host.docker.internal for one outside of it.
      # MOMOCK_CALLBACK_URL: http://host.docker.internal:3000/callbacks
    extra_hosts: ["host.docker.internal:host-gateway"]
    # The configuration is looked for where it works; the ledger has a volume of its own.
    working_dir: /momock
    volumes: ["momock:/data", "./momock.yaml:/momock/momock.yaml:ro", "./${scenarioFolder}:/momock/${scenarioFolder}:ro"]
    healthcheck:
      test: ["CMD", "momock", "healthcheck"]
      interval: 2s
      timeout: 5s
      start_period: 30s
    # Your own services then ask for it so: depends_on: { momock: { condition: service_healthy } },
    # with PAWAPAY_BASE_URL: http://momock:7070 and PAWAPAY_API_TOKEN: test-token.
volumes:
  momock:
`
}
