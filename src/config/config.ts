import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { Static, TSchema } from '@sinclair/typebox'
import { Type } from '../lib/typebox.ts'
import { createValidator } from '../lib/validator.ts'
import { readYamlFile, type ReviewFile } from '../lib/yaml-file.ts'
import { Duration, durationForms } from '../lib/duration.ts'
import { AccountSchema } from '../domain/account.ts'
import { CatalogueChanges } from '../domain/catalogue.ts'
import {
  dashName,
  flagOf,
  defaultFlags,
  readFlags,
  suggestion,
  takeValue,
  type Flag,
  type GivenFlags
} from './flags.ts'

/**
 * One schema for all settings. Flags win over the environment, that over the file, that over the
 * defaults.
 */

export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

/** Settings with one value: each has a flag and a variable. */
const scalars = {
  port: Type.Integer({
    minimum: 0,
    maximum: 65535,
    default: 7070,
    description: 'a port from 0 to 65535; 0 picks a free one'
  }),
  host: Type.String({
    minLength: 1,
    default: '127.0.0.1',
    description: 'the address to listen on'
  }),
  db: Type.String({
    minLength: 1,
    default: 'data/momock.db',
    description: "the ledger's file, or :memory:"
  }),
  scenarios: Type.Optional(
    Type.String({ minLength: 1, description: 'a folder of scenario files' })
  ),
  token: Type.String({
    minLength: 1,
    pattern: '^[!-~]+$',
    default: 'test-token',
    description: 'the token of the default account, without spaces'
  }),
  publicUrl: Type.Optional(
    Type.String({
      format: 'base-url',
      description:
        'the http or https URL that others reach it at, when that is not where it listens; ' +
        'the links it gives out begin with it'
    })
  ),
  callbackUrl: Type.Optional(
    Type.String({
      format: 'http-url',
      description: 'an http or https URL for callbacks of every kind'
    })
  ),
  callbackTimeout: Type.Union(Duration.anyOf, {
    default: '10s',
    description: `how long a receiver of callbacks has to answer, at most 10m; ${durationForms}`
  }),
  adminToken: Type.Optional(
    Type.String({
      minLength: 1,
      pattern: '^[!-~]+$',
      description: 'a token that admin calls must carry in X-Momock-Admin-Token, without spaces'
    })
  ),
  logLevel: Type.Union(
    logLevels.map((level) => Type.Literal(level)),
    { default: 'info', description: `one of ${logLevels.join(', ')}` }
  ),
  clock: Type.Union([Type.Literal('running'), Type.Literal('frozen')], {
    default: 'running',
    description: "'running' with the machine, or 'frozen' until a test moves it"
  }),
  journal: Type.Integer({
    minimum: 0,
    maximum: 100_000,
    default: 1000,
    description:
      'how many requests the journal keeps for each account, in memory, from 0 to 100000; 0 ' +
      'switches it off'
  }),
  sandboxIdle: Type.Union(Duration.anyOf, {
    default: '12h',
    description:
      'how long an account that a sandbox token opened is kept after its last request, 0 for ' +
      `ever; ${durationForms}`
  }),
  seed: Type.String({
    default: 'momock',
    description: 'any text; the same seed gives the same made-up identifiers'
  })
}

/** The setting that names the file cannot stand in it. */
const FileName = Type.String({ minLength: 1, description: 'the configuration file' })

/** Settings that only the file can hold. */
const structures = {
  accounts: Type.Optional(
    Type.Array(AccountSchema, {
      description: "a list of accounts; one named 'default' changes the built-in one"
    })
  ),
  countries: Type.Optional(CatalogueChanges),
  keys: Type.Optional(
    Type.Array(
      Type.Object(
        {
          id: Type.String({
            minLength: 1,
            maxLength: 100,
            pattern: '^[!#-~]+$',
            description: 'the keyid of the signatures made with it, without spaces and quotes'
          }),
          privateKey: Type.String({ minLength: 1, description: 'an EC P-256 private key as PEM' })
        },
        { additionalProperties: false, description: '{ id, privateKey }' }
      ),
      {
        minItems: 1,
        description: 'the keys of the server, a list of { id, privateKey }; the first one signs'
      }
    )
  )
}

export const ConfigSchema = Type.Object(
  { ...scalars, ...structures },
  { additionalProperties: false, description: 'a configuration' }
)
const form = createValidator(ConfigSchema)
const FileSchema = Type.Partial(ConfigSchema, {
  additionalProperties: false,
  description: 'a configuration'
})

export type Config = Static<typeof ConfigSchema>

export interface Setting extends Flag {
  variable: string
}

/** Every setting that has a flag and a variable; `config` names the file itself. */
export const settings: readonly Setting[] = [
  ...Object.entries(scalars).map(([name, schema]) => setting(name, schema)),
  {
    ...setting('config', FileName),
    default: 'momock.yaml, momock.yml or momock.json, if there is one'
  }
]

/**
 * Names a container platform makes for a service called momock, or momock-something; they are not
 * meant for us.
 */
const platformVariable =
  /^MOMOCK_(NAME$|ENV_|(\w+_)?SERVICE_(HOST|PORT)|(\w+_)?PORT_\d+_(TCP|UDP|SCTP))/
/** What such a platform writes into MOMOCK_PORT, or MOMOCK_SOMETHING_PORT. */
const platformAddress = /^(tcp|udp|sctp):\/\//
const fallBacks: Record<string, string> = { port: 'PORT', host: 'HOST' }
const fileNames = ['momock.yaml', 'momock.yml', 'momock.json']

/** The variables of a process. */
type Environment = Readonly<Record<string, string | undefined>>

/** What is wrong with the configuration, all of it. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly string[]

  constructor (problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/**
 * The configuration that flags, environment and file add up to. Throws a ConfigError that names
 * every problem.
 */
export async function loadConfig (
  args: readonly string[],
  env: Environment,
  folder: string
): Promise<Config> {
  const problems: string[] = []
  const { given } = readFlags(args, settings, problems)
  return await configFrom(given, env, folder, problems)
}

/** The same, when the flags were read already; `problems` are those they had. */
export async function configFrom (
  flags: GivenFlags,
  env: Environment,
  folder: string,
  problems: string[]
): Promise<Config> {
  const variables = fromEnvironment(env, problems)
  const file = await fromFile(
    (flags.config ?? variables.config) as string | undefined,
    folder,
    problems
  )
  const { config: _, ...given }: GivenFlags = { ...file, ...variables, ...flags }
  if (problems.length > 0) throw new ConfigError(problems)
  // Each part was checked where it came from, so that the message could say where that is.
  return { ...defaults(), ...given } as Config
}

/**
 * A configuration given in code, with the defaults for the rest. Throws a ConfigError that names
 * every problem.
 */
export function completeConfig (given: Partial<Config>): Config {
  const config = { ...defaults(), ...given }
  const problems = form.all(config)
  if (problems.length > 0) throw new ConfigError(problems.map(({ message }) => message))
  return config as Config
}

/** The settings nobody has to give. */
export function defaults (): GivenFlags {
  return defaultFlags(scalars)
}

function fromEnvironment (env: Environment, problems: string[]): GivenFlags {
  const given: GivenFlags = {}
  const names = settings.map(({ variable }) => variable)
  const meant = (name: string): boolean =>
    env[name] !== undefined &&
    env[name] !== '' &&
    !(name.endsWith('PORT') && platformAddress.test(env[name]))
  for (const name of Object.keys(env)) {
    if (
      !name.startsWith('MOMOCK_') ||
      names.includes(name) ||
      platformVariable.test(name) ||
      !meant(name)
    ) {
      continue
    }
    problems.push(`${name} is not a variable of momock${suggestion(name, names)}`)
  }
  for (const known of settings) {
    const name = [known.variable, fallBacks[known.name] ?? known.variable].find(meant)
    if (name !== undefined) takeValue(known, env[name] as string, name, given, problems)
  }
  return given
}

async function fromFile (
  named: string | undefined,
  folder: string,
  problems: string[]
): Promise<GivenFlags> {
  const path =
    named !== undefined
      ? resolve(folder, named)
      : fileNames.map((name) => join(folder, name)).find((path) => existsSync(path))
  if (path === undefined) return {}
  const document = await readYamlFile(path, FileSchema)
  problems.push(...document.problems)
  return document.problems.length === 0
    ? findFile(document.value as GivenFlags, relative(folder, dirname(path)))
    : {}
}

/** The settings that are paths. Those of a file start from where the file is. */
const paths = ['scenarios', 'db'] as const

function findFile (given: GivenFlags, folder: string): GivenFlags {
  const moved = paths.filter(
    (name) =>
      typeof given[name] === 'string' && given[name] !== ':memory:' && !isAbsolute(given[name])
  )
  return {
    ...given,
    ...Object.fromEntries(moved.map((name) => [name, join(folder, given[name] as string)]))
  }
}

/**
 * What is wrong with a configuration file; once its form is right, that is also what `meaning` says
 * of it.
 */
export async function checkFile (
  path: string,
  meaning: (config: Config) => readonly string[] = () => []
): Promise<string[]> {
  const review: ReviewFile = (value, unfit) =>
    unfit.length > 0
      ? unfit
      : meaning({ ...defaults(), ...(value as GivenFlags) } as Config).map((message) => ({
        path: /^[\w.]*/.exec(message)?.[0] ?? '',
        message
      }))
  return (await readYamlFile(path, FileSchema, review)).problems
}

function setting (name: string, schema: TSchema): Setting {
  return {
    ...flagOf(name, schema),
    variable: `MOMOCK_${dashName(name).replaceAll('-', '_').toUpperCase()}`
  }
}
