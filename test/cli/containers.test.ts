import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DockerfileParser } from 'dockerfile-ast'
import t from 'tap'
import { parse } from 'yaml'
import { listComposeProblems, type Compose } from '../support/compose.ts'
import { runIsolated, whyNoNetwork } from '../support/isolated.ts'

/**
 * The documented containers with the settings of the image, without an engine: each service is a
 * process in one network, where services have their names as `docker compose up` gives them.
 */

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Settings of the image. Its folders are here. */
const image = Object.fromEntries(
  DockerfileParser.parse(read('Dockerfile'))
    .getENVs()
    .flatMap((instruction) => instruction.getProperties())
    .map((property) => [property.getName(), (property.getValue() ?? '').replace(/^\//, './')])
)

/** Environment of a service, with the defaults of the variables in it. */
function environmentOf ({ environment }: Compose['services'][string]): Record<string, string> {
  const values = Object.entries(environment).map(([name, value]) => [
    name,
    value.replace(/\$\{\w+:-((?:\$\{[^}]*\}|[^}])*)\}/g, '$1').replace(/\$\{\w+:-([^}]*)\}/g, '$1')
  ])
  return Object.fromEntries(values)
}

/** The compose file of docs/ci.md. */
const [, ciFile] = /```yaml\n# docker-compose\.test\.yml\n([^]*?)```/.exec(read('docs/ci.md')) ?? []
const ci: Compose['services'] = parse(ciFile).services
const missing = whyNoNetwork()
const options = missing === undefined ? {} : { skip: missing }

t.test('the compose file of the CI page is valid', async (t) => {
  t.same(listComposeProblems(ciFile), [])
  t.equal(ci.momock.environment.MOMOCK_LOG_FORMAT, 'pretty')
})

t.test('the CI compose file leads to a verified callback', options, async (t) => {
  const env = { ...image, ...environmentOf(ci.momock), ...environmentOf(ci.tests) }
  const commands = `momock healthcheck && "$NODE" ${join(root, 'test/cli/container-tests.mjs')}`
  const outcome = await runIsolated(t, commands, env, { flags: '', hosts: Object.keys(ci) })
  t.match(outcome, { code: 0, stdout: /^paid$/m }, outcome.stderr)

  // A container of `docker compose run` does not have the name of its service.
  const unnamed = await runIsolated(t, commands, env, { flags: '', hosts: ['momock'] })
  t.match(unnamed, { code: 1, stdout: /^"no callback"$/m }, unnamed.stderr)
})

const browse = `
const home = 'http://localhost:7070/__admin/ui'
const page = await (await fetch(home + '/payments')).text()
const press = (origin, site) => fetch(home + '/actions/reset-account', {
  method: 'POST',
  redirect: 'manual',
  headers: { origin, 'sec-fetch-site': site, 'content-type': 'application/x-www-form-urlencoded' }
})
const own = await press('http://localhost:7070', 'same-origin')
const foreign = await press('http://evil.example', 'cross-site')
const isReadOnly = /read-only|<button[^>]* disabled/i.test(page)
console.log(JSON.stringify({ isReadOnly, own: own.status, foreign: foreign.status }))
`

t.test('the dashboard works as the image and the compose file set it', options, async (t) => {
  const { momock }: Compose['services'] = parse(read('docker-compose.yml')).services
  const env = { ...image, ...environmentOf(momock) }
  t.equal(env.MOMOCK_HOST, '0.0.0.0')
  env.MOMOCK_CONFIG = env.MOMOCK_CONFIG.replace('/app', root)
  const commands = '"$NODE" --input-type module -e "$BROWSE"'
  const outcome = await runIsolated(t, commands, { ...env, BROWSE: browse }, { flags: '' })
  t.equal(outcome.code, 0, outcome.stderr)
  t.same(JSON.parse(outcome.stdout), { isReadOnly: false, own: 303, foreign: 403 })
})
