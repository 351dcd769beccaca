import type { Static, TSchema } from '@sinclair/typebox'
import { choice, Duration, text, Type } from '../lib/typebox.ts'
import { durationForms } from '../lib/duration.ts'
import { profiles, WrittenAccount } from '../domain/account-settings.ts'
import { CatalogueChanges } from '../domain/catalogue.ts'
import { FixturesSchema } from '../services/fixture.ts'
import { createFlag, readDefaults, toDashes, type Flag, type GivenFlags } from './flags.ts'
import type { FileProblem } from '../lib/yaml-file.ts'

/**
 * Configuration: one schema for all settings. A flag overrides the environment variable, the
 * variable overrides the file, and the file overrides the default.
 */

/** Log levels, from quiet to detailed. */
export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

/** Forms of the output of a server. */
export const logFormats = ['pretty', 'json'] as const

const ports = { minimum: 0, maximum: 65535 }
/** Creates the schema of an optional text. */
const optionalText = (description: string) => Type.Optional(text(description))

/** Settings with one value. Each has a flag and an environment variable. */
const scalars = {
  port: Type.Integer({
    ...ports,
    default: 7070,
    description: 'a port from 0 to 65535; 0 uses any free port'
  }),
  host: Type.String({
    minLength: 1,
    default: '127.0.0.1',
    description: 'the address to listen on'
  }),
  db: Type.String({
    minLength: 1,
    default: 'data/momock.db',
    description: 'the file of the ledger, :memory:, or postgres://USER@HOST/DATABASE'
  }),
  peerHost: Type.Optional(
    Type.String({
      minLength: 1,
      pattern: '^[^\\s/]+$',
      description:
        'the host name or address at which the other servers of a ledger in PostgreSQL reach ' +
        'this one; without it, host, or the first address of the machine that is not local'
    })
  ),
  stopDelay: Type.Union(Duration.anyOf, {
    default: '0s',
    description:
      'the time for which the server still answers after a signal to stop, at most 10m, so that ' +
      `a load balancer notices GET /ready, which answers 503; ${durationForms}`
  }),
  scenarios: optionalText('a folder with scenario files, also in subfolders'),
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
        'the http or https URL that clients use, if it differs from the address it listens on; ' +
        'links begin with it'
    })
  ),
  allowHosts: Type.Optional(
    Type.String({
      minLength: 1,
      pattern: '^[^\\s,/:]+(,[^\\s,/:]+)*$',
      description:
        'host names that browsers may use for the admin API and the pages besides those of this ' +
        'machine, with commas between them; *.example.com for all names below one, * for all names'
    })
  ),
  tlsPort: Type.Optional(
    Type.Integer({
      ...ports,
      description:
        "a port for HTTPS with the service's own host names, from 0 to 65535; 0 uses any free port"
    })
  ),
  tlsDir: optionalText(
    'the folder of the certificate authority (ca.pem, ca.key, bundle.pem); without it, the ' +
      'folder tls beside the ledger'
  ),
  tlsHosts: optionalText(
    'more host names and IP addresses for the certificate, with commas between them; ' +
      '*.example.test for all names below one'
  ),
  tlsCert: optionalText('a PEM file with your own certificate for HTTPS, with its chain'),
  tlsKey: optionalText('a PEM file with the private key of tlsCert'),
  checkoutUrl: Type.Optional(
    Type.String({
      format: 'base-url',
      description:
        'the URL that links to checkouts begin with, such as ' +
        'https://checkout.sandbox.pawapay.io; without it, the public URL'
    })
  ),
  paymentPageUrl: Type.Optional(
    Type.String({
      format: 'base-url',
      description:
        'the URL that links to payment pages begin with, such as ' +
        'https://sandbox.paywith.pawapay.io; without it, the public URL'
    })
  ),
  profile: Type.Optional(
    choice(profiles, {
      description:
        "'calm': payments complete within a second; 'production': like real customers and " +
        'providers, see docs/scenarios.md'
    })
  ),
  callbackUrl: Type.Optional(
    Type.String({
      format: 'http-url',
      description: 'an http or https URL that receives the callbacks of all kinds'
    })
  ),
  callbackTimeout: Type.Union(Duration.anyOf, {
    default: '10s',
    description: `the time a callback receiver has to answer, at most 10m; ${durationForms}`
  }),
  adminToken: Type.Optional(
    Type.String({
      minLength: 1,
      pattern: '^[!-~]+$',
      description: 'a token that admin calls must send in X-Momock-Admin-Token, without spaces'
    })
  ),
  logLevel: choice(logLevels, { default: 'info' }),
  logFormat: Type.Optional(
    choice(logFormats, {
      description:
        "'pretty' for a readable line per event, or 'json' for JSON lines; without it, pretty " +
        'on a terminal and json everywhere else'
    })
  ),
  clock: choice(['running', 'frozen'], {
    default: 'running',
    description: "'running' like the system clock, or 'frozen' until a test advances it"
  }),
  journal: Type.Integer({
    minimum: 0,
    maximum: 100_000,
    default: 1000,
    description:
      'the number of requests that the journal keeps in memory per account, from 0 to 100000; ' +
      '0 disables the journal'
  }),
  callbacksAllow: Type.String({
    minLength: 1,
    default: 'any',
    description:
      "the receivers of callbacks: 'any'; 'public' for no private, loopback or link-local " +
      'address; or a list of hosts separated by commas'
  }),
  callbacksCa: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'a PEM file with certificates of authorities that receivers of callbacks may use, ' +
        'besides the public ones'
    })
  ),
  sandboxLimit: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 10_000,
    description:
      'the number of sandbox accounts that can exist at the same time, from 0 to 1000000; 0 ' +
      'refuses all sandbox tokens'
  }),
  sandboxIdle: Type.Union(Duration.anyOf, {
    default: '12h',
    description:
      'the time after which an unused account of a sandbox token is deleted, 0 for never; ' +
      durationForms
  }),
  seed: Type.String({
    default: 'momock',
    description: 'any text; the same seed gives the same generated identifiers'
  })
}

/** Path of the configuration file. The file itself cannot contain it. */
const FileName = text('the configuration file')

/** Settings that only the file can contain. */
const structures = {
  accounts: Type.Optional(
    Type.Array(WrittenAccount, {
      description: "a list of accounts; an account named 'default' changes the built-in account"
    })
  ),
  countries: Type.Optional(CatalogueChanges),
  fixtures: Type.Optional(FixturesSchema),
  keys: Type.Optional(
    Type.Array(
      Type.Object(
        {
          id: Type.String({
            minLength: 1,
            maxLength: 100,
            pattern: '^[!#-~]+$',
            description: 'the keyid of its signatures, without spaces and quotes'
          }),
          privateKey: text('an EC P-256 private key as PEM')
        },
        { additionalProperties: false, description: '{ id, privateKey }' }
      ),
      {
        minItems: 1,
        description: 'the keys of the server, a list of { id, privateKey }; the first key signs'
      }
    )
  )
}

/** Schema of the whole configuration. */
export const ConfigSchema = Type.Object(
  { ...scalars, ...structures },
  { additionalProperties: false, description: 'a configuration' }
)
/** Complete configuration. */
export type Config = Static<typeof ConfigSchema>

/** One setting with a flag and an environment variable. */
export interface Setting extends Flag {
  variable: string
}

/** All settings with a flag and a variable. The setting `config` is the path of the file. */
export const settings: readonly Setting[] = [
  ...Object.entries(scalars).map(([name, schema]) => createSetting(name, schema)),
  {
    ...createSetting('config', FileName),
    default: 'momock.yaml, momock.yml or momock.json, if the file exists'
  }
]

/** All problems of a configuration. A problem with a path belongs to a setting of the file. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly string[]
  /** Problems with the dotted path of their setting; the path is empty if there is none. */
  readonly fileProblems: readonly FileProblem[]

  constructor (problems: ReadonlyArray<string | FileProblem>) {
    const all = problems.map((problem) =>
      typeof problem === 'string' ? { path: '', message: problem } : problem
    )
    super(all.map(({ message }) => message).join('\n'))
    this.fileProblems = all
    this.problems = all.map(({ message }) => message)
  }
}

/** Problem of a setting: the message begins with its path. */
export function problemOf (path: string, says: string): FileProblem {
  return { path, message: `${path} ${says}` }
}

/** Returns the default values of the settings. */
export function defaults (): GivenFlags {
  return readDefaults(scalars)
}

function createSetting (name: string, schema: TSchema): Setting {
  return {
    ...createFlag(name, schema),
    variable: `MOMOCK_${toDashes(name).replaceAll('-', '_').toUpperCase()}`
  }
}
