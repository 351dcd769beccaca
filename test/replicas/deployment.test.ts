import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { parseDuration } from '../../src/lib/duration.ts'
import { root } from '../docs/markdown.ts'
import { balancerOptions, checkBalancer } from '../support/balancer.ts'
import { listComposeProblems, type Compose } from '../support/compose.ts'
import { listManifestProblems, readManifest } from '../support/kubernetes.ts'

/** The files of examples/replicas, without an engine and without a cluster. */

const folder = join(root, 'examples/replicas')
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

/** Time that open requests have at a stop, and that the process needs to end. */
const endMs = 5000

t.test('the compose file of three servers is valid', async (t) => {
  const file = read('docker-compose.yml')
  t.same(listComposeProblems(file), [])
  const { services }: Compose = parse(file)
  const servers = Object.keys(services).filter((name) => /^momock-\d$/.test(name))
  t.same(servers, ['momock-1', 'momock-2', 'momock-3'])
  t.same(Object.keys(services.balancer.depends_on ?? {}), servers)
  t.ok(existsSync(join(folder, services['momock-1'].build ?? '', 'Dockerfile')))
  const mounted = services.balancer.volumes[0].split(':')[0]
  t.ok(existsSync(join(folder, mounted)), mounted)
  for (const name of servers) {
    const { environment, stop_grace_period: grace } = services[name]
    t.match(new URL(environment.MOMOCK_DB), {
      hostname: 'postgres',
      username: services.postgres.environment.POSTGRES_USER,
      pathname: `/${services.postgres.environment.POSTGRES_DB}`
    })
    const delayMs = Number(parseDuration(environment.MOMOCK_STOP_DELAY))
    t.ok(Number(parseDuration(grace ?? '')) >= delayMs + endMs, `${name} can stop in order`)
    t.ok(read('haproxy.cfg').includes(`${name}:7070`), `the balancer knows ${name}`)
    t.ok(delayMs >= 2 * noticeMs(), `the balancer notices that ${name} stops`)
  }
})

/** Returns the time in which the balancer notices a server that stops. */
function noticeMs (): number {
  const [, interval, failures] = /inter (\w+) fall (\d+)/.exec(read('haproxy.cfg')) ?? []
  return Number(parseDuration(interval)) * Number(failures)
}

t.test('the balancer accepts its configuration', balancerOptions, async (t) => {
  const { status, stderr } = checkBalancer(['-c', '-f', join(folder, 'haproxy.cfg')])
  t.equal(status, 0, stderr)
  t.notMatch(stderr, /ALERT/)
})

t.test('the Kubernetes manifest is valid', async (t) => {
  const file = read('kubernetes.yaml')
  t.same(listManifestProblems(file), [])
  const deployment = readManifest(file).find(({ kind }) => kind === 'Deployment')
  const { replicas, strategy, template } = deployment?.spec
  t.equal(replicas, 3)
  t.equal(strategy.rollingUpdate.maxUnavailable, 0, 'a restart never leaves fewer servers')
  t.equal(
    template.spec.enableServiceLinks,
    false,
    'the service does not set MOMOCK_PORT, which is a setting'
  )
  const [{ readinessProbe, livenessProbe, env }] = template.spec.containers
  t.equal(readinessProbe.httpGet.path, '/ready')
  t.equal(livenessProbe.httpGet.path, '/health', 'a restart does not repair the database')
  const noticed = 1000 * readinessProbe.periodSeconds * readinessProbe.failureThreshold
  const delay = env.find(({ name }: { name: string }) => name === 'MOMOCK_STOP_DELAY')
  const delayMs = Number(parseDuration(delay.value))
  t.ok(delayMs >= 2 * noticed, 'the cluster notices that a server stops')
  t.ok(template.spec.terminationGracePeriodSeconds * 1000 >= delayMs + endMs)
})

/** Mistakes that the check of the manifest must find. */
const slips: Array<[what: string, change: [from: string, to: string], said: RegExp]> = [
  ['a misspelt key', ['readinessProbe:', 'readynessProbe:'], /additional properties/],
  ['a value of a wrong type', ['replicas: 3', 'replicas: three'], /replicas must be integer/],
  ['an old version of the API', ['policy/v1', 'policy/v1beta1'], /apiVersion must be equal/],
  ['an unknown kind', ['kind: Deployment', 'kind: Deploy'], /Deploy is not in the list/],
  ['a selector without pods', ['    app: momock\n  ports', '    app: mock\n  ports'], /no pods/],
  ['a port without a name', ['targetPort: http', 'targetPort: web'], /no container has web/],
  ['a variable of nobody', ['MOMOCK_STOP_DELAY', 'MOMOCK_STOP'], /MOMOCK_STOP is not a variable/],
  ['a secret that is missing', ['key: POSTGRES_PASSWORD', 'key: PASSWORD'], /has no PASSWORD/],
  [
    'a volume that is missing',
    ['- name: tmp\n          emptyDir', '- name: temp\n          emptyDir'],
    /no volume tmp/
  ],
  [
    'a probe of no port',
    ['path: /ready\n              port: http', 'path: /ready\n              port: web'],
    /asks port web/
  ],
  ['a key twice', ['replicas: 3', 'replicas: 3\n  replicas: 3'], /unique/]
]

t.test('the check of the manifest finds mistakes', async (t) => {
  const file = read('kubernetes.yaml')
  for (const [what, [from, to], said] of slips) {
    t.ok(file.includes(from), what)
    t.match(listManifestProblems(file.replace(from, to)).join('\n'), said, what)
  }
})
