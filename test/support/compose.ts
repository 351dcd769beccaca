import { Ajv2020 } from 'ajv/dist/2020.js'
import { parseDocument } from 'yaml'
import { settings } from '../../src/config/config.ts'

/** Checks of compose files, without an engine. */

export const text = { type: 'string', minLength: 1 }
const duration = { type: 'string', pattern: '^([0-9]+(ms|s|m|h))+$' }
const texts = { type: 'array', minItems: 1, items: text }
const commandLine = { type: 'array', minItems: 2, items: text }
export const closed = (properties: Record<string, object>, required: string[] = []): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false
})

/**
 * Used parts of the compose specification. A field that is missing here is misspelt or must be
 * added.
 */
const isCompose = new Ajv2020({ allErrors: true, strict: true, strictTuples: false }).compile(
  closed(
    {
      services: {
        type: 'object',
        minProperties: 1,
        additionalProperties: closed(
          {
            build: text,
            image: { type: 'string', pattern: '^([a-z.]+/)?[a-z0-9]+(:[\\w.-]+)?$' },
            command: text,
            profiles: texts,
            depends_on: {
              type: 'object',
              additionalProperties: closed(
                { condition: { enum: ['service_started', 'service_healthy'] } },
                ['condition']
              )
            },
            entrypoint: commandLine,
            ports: {
              type: 'array',
              items: {
                type: 'string',
                pattern: '^127\\.0\\.0\\.1:(\\d+|\\$\\{\\w+:-\\d+\\}):\\d+$'
              }
            },
            environment: {
              type: 'object',
              propertyNames: { pattern: '^[A-Z_]+$' },
              additionalProperties: { type: 'string' }
            },
            extra_hosts: {
              type: 'array',
              items: { type: 'string', pattern: '^[\\w.]+:host-gateway$' }
            },
            networks: {
              type: 'object',
              additionalProperties: closed({ aliases: texts }, ['aliases'])
            },
            sysctls: { type: 'object', additionalProperties: { type: 'string' } },
            user: text,
            restart: { enum: ['on-failure', 'unless-stopped'] },
            stop_grace_period: duration,
            working_dir: { type: 'string', pattern: '^/' },
            volumes: {
              type: 'array',
              items: { type: 'string', pattern: '^(\\w+:/[\\w/]+(:ro)?|\\./[\\w.]+:/[\\w./]+:ro)$' }
            },
            read_only: { const: true },
            tmpfs: { type: 'array', items: { type: 'string', pattern: '^/' } },
            cap_drop: { const: ['ALL'] },
            security_opt: { const: ['no-new-privileges:true'] },
            // No start_interval: engines before 25 refuse it.
            healthcheck: closed(
              {
                test: { type: 'array', minItems: 2, prefixItems: [{ const: 'CMD' }], items: text },
                interval: duration,
                timeout: duration,
                retries: { type: 'integer', minimum: 1 },
                start_period: duration
              },
              ['test', 'interval', 'timeout', 'start_period']
            )
          }
        )
      },
      volumes: { type: 'object', additionalProperties: { type: 'null' } },
      // Parts that services share by a YAML anchor.
      'x-momock': { type: 'object' }
    },
    ['services']
  )
)

export interface Compose {
  services: Record<
    string,
    {
      build?: string
      image?: string
      command?: string
      working_dir?: string
      stop_grace_period?: string
      depends_on?: Record<string, { condition: string }>
      environment: Record<string, string>
      healthcheck?: { test: string[]; interval: string }
      networks?: { default: { aliases: string[] } }
      extra_hosts: string[]
      volumes: string[]
      profiles?: string[]
      entrypoint?: string[]
    }
  >
  volumes: object
}

/** Returns the problems of a compose file. */
export function listComposeProblems (file: string): string[] {
  const document = parseDocument(file)
  const said = [...document.errors, ...document.warnings].map(({ message }) => message)
  if (said.length > 0) return said
  const compose: Compose = document.toJS()
  if (!isCompose(compose)) {
    return (isCompose.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
  return Object.entries(compose.services).flatMap(
    ([name, { build, image, depends_on: needs = {}, environment = {}, volumes = [] }]) => [
      ...(build === undefined && image === undefined ? [`${name} has no image`] : []),
      ...Object.keys(needs)
        .filter((other) => !(other in compose.services))
        .map((other) => `${name} needs ${other}, which is not there`),
      ...Object.entries(needs)
        .filter(([other, { condition }]) => {
          const service = compose.services[other]
          return condition === 'service_healthy' && service?.healthcheck === undefined
        })
        .map(([other]) => `${name} waits for the health of ${other}, which has no health check`),
      ...Object.keys(environment)
        .filter(
          (variable) =>
            variable.startsWith('MOMOCK_') &&
            !settings.some((setting) => setting.variable === variable)
        )
        .map((variable) => `${name}: ${variable} is not a variable of momock`),
      ...volumes
        .filter((volume) => !volume.startsWith('./') && !(volume.split(':')[0] in compose.volumes))
        .map((volume) => `${name}: the volume of ${volume} is not declared`)
    ]
  )
}
