import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { Type } from '../lib/typebox.ts'
import { createValidator } from '../lib/validator.ts'
import { readYamlFile, type FileProblem, type ReviewFile } from '../lib/yaml-file.ts'
import { ConfigError, ConfigSchema, defaults, settings, type Config } from './config.ts'
import { readFlags, suggestName, takeValue, type GivenFlags } from './flags.ts'
import { isOtherAddress, isPostgresUrl } from '../lib/url.ts'

/** Loads the configuration from flags, environment variables and the configuration file. */

const configValidator = createValidator(ConfigSchema)
/** A configuration file: every setting is optional. */
export const FileSchema = Type.Partial(ConfigSchema, {
  additionalProperties: false,
  description: 'a configuration'
})

/** Variables that container platforms create for a service named momock. They are ignored. */
const platformVariable =
  /^MOMOCK_(NAME$|ENV_|(\w+_)?SERVICE_(HOST|PORT)|(\w+_)?PORT_\d+_(TCP|UDP|SCTP))/
/** Value that such a platform gives to MOMOCK_PORT or MOMOCK_SOMETHING_PORT. */
const platformAddress = /^(tcp|udp|sctp):\/\//
const fallBacks: Record<string, string> = { port: 'PORT', host: 'HOST' }
const fileNames = ['momock.yaml', 'momock.yml', 'momock.json']

/** Environment variables of a process. */
type Environment = Readonly<Record<string, string | undefined>>

/**
 * Loads the configuration from flags, environment and file. Throws a ConfigError that names every
 * problem.
 */
export async function loadConfig (
  args: readonly string[],
  env: Environment,
  folder: string
): Promise<Config> {
  const problems: string[] = []
  const { given } = readFlags(args, settings, problems)
  return await combineConfig(given, env, folder, problems)
}

/** Loads the configuration when the flags are already read; `problems` are their problems. */
export async function combineConfig (
  flags: GivenFlags,
  env: Environment,
  folder: string,
  problems: string[]
): Promise<Config> {
  const variables = readEnvironment(env, problems)
  const file = await readConfigFile(
    (flags.config ?? variables.config) as string | undefined,
    folder,
    problems
  )
  const { config: _, ...given }: GivenFlags = { ...file, ...variables, ...flags }
  if (problems.length > 0) throw new ConfigError(problems)
  // Each source has checked its own values, so that its messages can name the source.
  return { ...defaults(), ...given } as Config
}

/**
 * Completes a configuration that is given in code with the defaults, of which `usual` are others.
 * A setting that is undefined is not given. Throws a ConfigError that names every problem.
 */
export function completeConfig (given: Partial<Config>, usual: Partial<Config> = {}): Config {
  const named = Object.entries(given).filter(([, value]) => value !== undefined)
  const config = { ...defaults(), ...usual, ...Object.fromEntries(named) }
  const problems = configValidator.all(config)
  if (problems.length > 0) throw new ConfigError(problems.map(({ message }) => message))
  return config as Config
}

function readEnvironment (env: Environment, problems: string[]): GivenFlags {
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
    problems.push(`${name} is not a variable of momock${suggestName(name, names)}`)
  }
  for (const known of settings) {
    const name = [known.variable, fallBacks[known.name] ?? known.variable].find(meant)
    if (name !== undefined) takeValue(known, env[name] as string, name, given, problems)
  }
  return given
}

/** Returns the configuration file: the named one, or that of the folder. */
export function findConfigFile (named: string | undefined, folder: string): string | undefined {
  return named !== undefined
    ? resolve(folder, named)
    : fileNames.map((name) => join(folder, name)).find((path) => existsSync(path))
}

async function readConfigFile (
  named: string | undefined,
  folder: string,
  problems: string[]
): Promise<GivenFlags> {
  const path = findConfigFile(named, folder)
  if (path === undefined) return {}
  const document = await readYamlFile(path, FileSchema)
  problems.push(...document.problems)
  return document.problems.length === 0
    ? resolvePaths(document.value as GivenFlags, relative(folder, dirname(path)))
    : {}
}

/** Settings that are paths. In a file they are relative to the folder of the file. */
const paths = ['scenarios', 'db', 'tlsDir', 'tlsCert', 'tlsKey', 'callbacksCa'] as const

function resolvePaths (given: GivenFlags, folder: string): GivenFlags {
  const moved = paths.filter(
    (name) =>
      typeof given[name] === 'string' &&
      given[name] !== ':memory:' &&
      !isPostgresUrl(given[name]) &&
      !isOtherAddress(given[name]) &&
      !isAbsolute(given[name])
  )
  return {
    ...given,
    ...Object.fromEntries(moved.map((name) => [name, join(folder, given[name] as string)]))
  }
}

/** Checks of a configuration file, and the settings that its schema accepts. */
export interface CheckedFile {
  problems: string[]
  config: Config
}

/**
 * Checks a configuration file. `checkMeaning` gets the settings that the schema accepts, so that
 * all problems are reported at once.
 */
export async function checkFile (
  path: string,
  checkMeaning: (config: Config) => Promise<readonly FileProblem[]> = async () => []
): Promise<CheckedFile> {
  let config = defaults() as Config
  const review: ReviewFile = async (value, unfit) => {
    if (typeof value !== 'object' || value === null) return unfit
    const wrong = new Set(unfit.map(({ path }) => path.split('.')[0]))
    const fitting = Object.entries(value).filter(([name]) => !wrong.has(name))
    const given = resolvePaths(Object.fromEntries(fitting), dirname(path))
    config = { ...defaults(), ...given } as Config
    return [...unfit, ...(await checkMeaning(config))]
  }
  const { problems } = await readYamlFile(path, FileSchema, review)
  return { problems, config }
}
