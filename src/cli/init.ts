import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { ConfigError, settings } from '../config/config.ts'
import { packageFolder, version } from '../lib/package.ts'
import { exitCodes, findProgramName, type RunCommand } from './command.ts'

/** Folder of the scenario, as the configuration names it. */
const scenarioFolder = 'scenarios'

const composeFile = 'docker-compose.momock.yml'

/** Sentence of AGENTS.md that is for changes of momock itself. */
const ownRule = / To change momock itself[^.]*[.]md[^.]*[.]/

/** Content of each file, by its path. */
const files: Record<string, (folder: string) => string> = {
  'momock.yaml': writeConfiguration,
  [`${scenarioFolder}/declined.yaml`]: writeScenario,
  [composeFile]: writeComposeFile,
  'AGENTS.md': () => readFileSync(join(packageFolder, 'AGENTS.md'), 'utf8').replace(ownRule, '')
}

/** `momock init`: writes first files. Existing files are never changed. */
export const run: RunCommand = async (input) => {
  const { words, folder: here, out, err } = input
  if (words.length > 1) throw new ConfigError(['name one folder: momock init [FOLDER]'])
  const folder = words[0] ?? '.'
  let code: number = exitCodes.fine
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    const problem = writeNewFile(resolve(here, path), text(resolve(here, folder)))
    if (problem === undefined) out.write(`wrote ${path}\n`)
    // `mkdir` also fails with EEXIST: a file has the name of the folder. That is an error.
    else if (problem.code === 'EEXIST' && problem.syscall === 'open') {
      out.write(`kept  ${path}, it already exists\n`)
    } else {
      err.write(`${path} cannot be written (${problem.message})\n`)
      code = exitCodes.failed
    }
  }
  const flags = folder === '.' ? '' : ` --config ${join(folder, 'momock.yaml')}`
  const start = `${findProgramName(input)}${flags}`
  if (code === exitCodes.fine) {
    out.write(`\nNext: ${start.replace(/ --$/, '')}\n`)
    out.write(`For ${join(folder, composeFile)}, build the image first: ${buildStep(folder)}\n`)
  }
  return code
}

/** Writes a file that does not exist yet. Returns the error, if any. */
function writeNewFile (path: string, text: string): NodeJS.ErrnoException | undefined {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

/** Returns a configuration with every setting as a comment. */
function writeConfiguration (folder: string): string {
  const examples: Record<string, string> = {
    peerHost: '10.0.0.1',
    publicUrl: 'http://localhost:7070',
    callbackUrl: 'http://127.0.0.1:3000/callbacks',
    adminToken: 'keep-this-to-yourself',
    allowHosts: 'mock.example',
    tlsPort: '7443',
    tlsDir: 'data/tls',
    tlsHosts: 'mock.example',
    tlsCert: 'certificate.pem',
    tlsKey: 'certificate.key',
    checkoutUrl: 'https://checkout.sandbox.pawapay.io',
    paymentPageUrl: 'https://sandbox.paywith.pawapay.io',
    callbacksCa: 'company-ca.pem',
    profile: 'production',
    logFormat: 'pretty'
  }
  const rows = settings
    .filter(({ name }) => name !== 'config' && name !== 'scenarios')
    .map(
      ({ name, description, default: preset }) =>
        `# ${description}\n# ${name}: ${preset ?? examples[name] ?? ''}\n`
    )
  return `${schemaLine(folder, 'momock.yaml', 'momock')}
# Configuration of momock. A flag or a variable overrides this file.
# Remove the # from the settings that you want to change. Check: momock validate momock.yaml

# a folder with scenario files
scenarios: ${scenarioFolder}

${rows.join('\n')}
# More accounts, each with its own tokens, callback URLs, providers and wallets.
# accounts:
#   - name: shop
#     companyName: Corner Shop
#     tokens: [{ token: shop-token }, { token: shop-reports, allow: [read] }]
#     callbacks:
#       deposits: http://127.0.0.1:3000/callbacks
#       refunds: http://127.0.0.1:3000/callbacks
#     providers: [ZMB, MTN_MOMO_RWA]
#     wallets: [{ country: ZMB, currency: ZMW, balance: "500.00" }]
`
}

/** Tells editors what a file can have: they complete fields, explain them and show mistakes. */
function schemaLine (folder: string, file: string, name: string): string {
  const schema = join(packageFolder, 'schemas', `${name}.schema.json`)
  const path = relative(dirname(join(folder, file)), schema).split(sep).join('/')
  return `# yaml-language-server: $schema=${path}`
}

function writeScenario (folder: string): string {
  return `${schemaLine(folder, `${scenarioFolder}/declined.yaml`, 'scenario')}
# Deposits with metadata { "story": "declined" } are declined after two seconds.
# A request can also select this file with the header X-Momock-Scenario: declined
description: The customer declines.
when: { kind: deposit, metadata: { story: declined } }
script:
  - { after: 50ms, to: PROCESSING }
  - { after: 2s, to: FAILED, failureCode: PAYMENT_NOT_APPROVED }
`
}

/** Folder of a clone, which contains the Dockerfile; undefined for an installed package. */
const clone = existsSync(join(packageFolder, 'Dockerfile')) ? packageFolder : undefined

/** Returns the command that makes the image. Only a clone has what it is made from. */
function buildStep (folder: string): string {
  return clone === undefined
    ? `docker build -t momock:${version} CLONE, where CLONE is the folder of a clone of momock`
    : `docker compose -f ${join(folder, composeFile)} build`
}

function writeComposeFile (folder: string): string {
  const build =
    clone === undefined ? '' : `    build: ${JSON.stringify(relative(folder, clone) || '.')}\n`
  return `# The image is not published. Build it first, in this folder:
#   ${buildStep('.')}
# Only momock:
#   docker compose -f ${composeFile} up --wait
# Together with your services:
#   docker compose -f docker-compose.yml -f ${composeFile} up --wait
services:
  momock:
${build}    image: momock:${version}
    ports: ["127.0.0.1:7070:7070"]
    environment:
      MOMOCK_PORT: "7070"
      # A readable line per event in docker compose logs.
      MOMOCK_LOG_FORMAT: pretty
      # Browsers on this machine open the customer pages at this address.
      MOMOCK_PUBLIC_URL: http://localhost:7070
      # Your server receives callbacks here. Use the name of its service, or
      # host.docker.internal for a server outside of this file.
      # MOMOCK_CALLBACK_URL: http://host.docker.internal:3000/callbacks
    extra_hosts: ["host.docker.internal:host-gateway"]
    # momock reads its configuration from the working directory. The ledger is in a volume.
    working_dir: /momock
    volumes:
      - momock:/data
      - ./momock.yaml:/momock/momock.yaml:ro
      - ./${scenarioFolder}:/momock/${scenarioFolder}:ro
    healthcheck:
      test: ["CMD", "momock", "healthcheck"]
      interval: 2s
      timeout: 5s
      start_period: 30s
    # Your services wait for it with depends_on: { momock: { condition: service_healthy } }.
    # Set PAWAPAY_BASE_URL: http://momock:7070 and PAWAPAY_API_TOKEN: test-token for them.
volumes:
  momock:
`
}
