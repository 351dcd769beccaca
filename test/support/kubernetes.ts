import { Ajv2020 } from 'ajv/dist/2020.js'
import { parseAllDocuments } from 'yaml'
import { settings } from '../../src/config/config.ts'
import { closed, text } from './compose.ts'

/** Checks of a Kubernetes manifest, without a cluster. */

const number = { type: 'integer', minimum: 0 }
const name = { type: 'string', pattern: '^[a-z][a-z0-9-]{0,62}$' }
const texts = { type: 'object', minProperties: 1, additionalProperties: text }
const list = (items: object): object => ({ type: 'array', minItems: 1, items })
const metadata = closed({ name, labels: texts }, ['name'])
const selector = closed({ matchLabels: texts }, ['matchLabels'])

const probe = closed({
  httpGet: closed({ path: { type: 'string', pattern: '^/' }, port: name }, ['path', 'port']),
  exec: closed({ command: list(text) }, ['command']),
  periodSeconds: number,
  timeoutSeconds: number,
  failureThreshold: number
})

const container = closed(
  {
    name,
    image: text,
    imagePullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
    env: list(
      closed(
        {
          name: { type: 'string', pattern: '^[A-Z_]+$' },
          value: { type: 'string' },
          valueFrom: closed({
            secretKeyRef: closed({ name, key: text }, ['name', 'key']),
            fieldRef: closed({ fieldPath: { const: 'status.podIP' } }, ['fieldPath'])
          })
        },
        ['name']
      )
    ),
    ports: list(closed({ name, containerPort: number }, ['name', 'containerPort'])),
    startupProbe: probe,
    readinessProbe: probe,
    livenessProbe: probe,
    resources: closed({ requests: texts, limits: texts }),
    securityContext: closed({
      allowPrivilegeEscalation: { const: false },
      readOnlyRootFilesystem: { const: true },
      capabilities: closed({ drop: { const: ['ALL'] } })
    }),
    volumeMounts: list(closed({ name, mountPath: text }, ['name', 'mountPath']))
  },
  ['name', 'image', 'readinessProbe', 'resources', 'securityContext']
)

const template = closed(
  {
    metadata: closed({ labels: texts }, ['labels']),
    spec: closed(
      {
        automountServiceAccountToken: { const: false },
        enableServiceLinks: { const: false },
        terminationGracePeriodSeconds: number,
        topologySpreadConstraints: list(
          closed(
            {
              maxSkew: { type: 'integer', minimum: 1 },
              topologyKey: text,
              whenUnsatisfiable: { enum: ['DoNotSchedule', 'ScheduleAnyway'] },
              labelSelector: selector
            },
            ['maxSkew', 'topologyKey', 'whenUnsatisfiable', 'labelSelector']
          )
        ),
        securityContext: closed(
          {
            seccompProfile: closed({ type: { const: 'RuntimeDefault' } }, ['type']),
            runAsNonRoot: { const: true },
            runAsUser: number,
            runAsGroup: number,
            fsGroup: number
          },
          ['seccompProfile', 'runAsNonRoot']
        ),
        containers: list(container),
        volumes: list(closed({ name, emptyDir: closed({}) }, ['name']))
      },
      ['containers', 'securityContext', 'terminationGracePeriodSeconds']
    )
  },
  ['metadata', 'spec']
)

const claim = closed(
  {
    metadata,
    spec: closed(
      {
        accessModes: { const: ['ReadWriteOnce'] },
        resources: closed({ requests: closed({ storage: text }) })
      },
      ['accessModes', 'resources']
    )
  },
  ['metadata', 'spec']
)

/** Used parts of the kinds, with their versions of the API. */
const kinds: Record<string, [version: string, parts: Record<string, object>]> = {
  Secret: ['v1', { type: { const: 'Opaque' }, stringData: texts }],
  Service: [
    'v1',
    {
      spec: closed(
        {
          clusterIP: { const: 'None' },
          selector: texts,
          ports: list(closed({ name, port: number, targetPort: name }, ['name', 'port']))
        },
        ['selector', 'ports']
      )
    }
  ],
  StatefulSet: [
    'apps/v1',
    {
      spec: closed(
        {
          serviceName: name,
          replicas: number,
          selector,
          template,
          volumeClaimTemplates: list(claim)
        },
        ['serviceName', 'selector', 'template']
      )
    }
  ],
  Deployment: [
    'apps/v1',
    {
      spec: closed(
        {
          replicas: number,
          selector,
          template,
          strategy: closed({
            type: { const: 'RollingUpdate' },
            rollingUpdate: closed({ maxSurge: number, maxUnavailable: number })
          })
        },
        ['selector', 'template']
      )
    }
  ],
  PodDisruptionBudget: [
    'policy/v1',
    { spec: closed({ minAvailable: number, selector }, ['minAvailable', 'selector']) }
  ]
}

const ajv = new Ajv2020({ allErrors: true, strict: true })
const validators = new Map(
  Object.entries(kinds).map(([kind, [version, parts]]) => [
    kind,
    ajv.compile(
      closed({ apiVersion: { const: version }, kind: { const: kind }, metadata, ...parts }, [
        'apiVersion',
        'kind',
        'metadata',
        ...Object.keys(parts)
      ])
    )
  ])
)

/** Object of a manifest. */
export interface ManifestObject {
  kind: string
  metadata: { name: string }
  spec?: any
  stringData?: Record<string, string>
}

/** Returns the objects of a manifest. */
export function readManifest (file: string): ManifestObject[] {
  return parseAllDocuments(file).map((document) => document.toJS())
}

/** Returns the problems of a manifest: of its form, and of names that lead nowhere. */
export function listManifestProblems (file: string): string[] {
  const said = parseAllDocuments(file).flatMap(({ errors, warnings }) =>
    [...errors, ...warnings].map(({ message }) => message)
  )
  if (said.length > 0) return said
  const objects = readManifest(file)
  const wrong = objects.flatMap((object) => {
    const validate = validators.get(object.kind)
    if (validate === undefined) return [`${object.kind} is not in the list of kinds`]
    validate(object)
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${object.kind}${instancePath} ${message}`
    )
  })
  return wrong.length > 0 ? wrong : objects.flatMap((object) => checkNames(object, objects))
}

/** Returns the names of an object that lead nowhere. */
function checkNames (object: ManifestObject, all: ManifestObject[]): string[] {
  const { kind, metadata, spec } = object
  const pods = all.flatMap(({ spec }) => spec?.template ?? [])
  const wanted = spec?.selector?.matchLabels ?? spec?.selector
  const found = pods.find(({ metadata }) => metadata.labels.app === wanted?.app)
  const ports = found?.spec.containers.flatMap(({ ports = [] }: any) => ports) ?? []
  const published = kind === 'Service' ? spec.ports : []
  const problems = [
    ...(wanted !== undefined && found === undefined ? ['the selector finds no pods'] : []),
    ...published
      .map(({ name, targetPort = name }: any) => targetPort)
      .filter((port: string) => !ports.some(({ name }: any) => name === port))
      .map((port: string) => `no container has ${port}`),
    ...(spec?.template?.spec.containers ?? []).flatMap((one: any) =>
      checkContainer(one, object, all)
    )
  ]
  return problems.map((problem) => `${kind} ${metadata.name}: ${problem}`)
}

function checkContainer (
  { env = [], ports = [], volumeMounts = [], ...probes }: any,
  { spec }: ManifestObject,
  all: ManifestObject[]
): string[] {
  const volumes = [
    ...(spec.template.spec.volumes ?? []),
    ...(spec.volumeClaimTemplates ?? []).map(({ metadata }: any) => metadata)
  ].map(({ name }) => name)
  const secretOf = (name: string): object =>
    all.find(({ metadata }) => metadata.name === name)?.stringData ?? {}
  const asked = ['startupProbe', 'readinessProbe', 'livenessProbe'].flatMap(
    (probe) => probes[probe]?.httpGet?.port ?? []
  )
  return [
    ...env
      .filter(({ name }: any) => name.startsWith('MOMOCK_'))
      .filter(({ name }: any) => !settings.some(({ variable }) => variable === name))
      .map(({ name }: any) => `${name} is not a variable of momock`),
    ...env
      .flatMap(({ valueFrom }: any) => valueFrom?.secretKeyRef ?? [])
      .filter(({ name, key }: any) => !(key in secretOf(name)))
      .map(({ name, key }: any) => `${name} has no ${key}`),
    ...volumeMounts
      .filter(({ name }: any) => !volumes.includes(name))
      .map(({ name }: any) => `there is no volume ${name}`),
    ...asked
      .filter((port) => !ports.some(({ name }: any) => name === port))
      .map((port) => `a probe asks port ${port}`)
  ]
}
