import type { Logger } from 'pino'
import type { ScenarioLibrary } from '../scenarios/scenario-library.ts'
import { writePageLink } from '../../routes/http/host-routing.ts'
import { serviceHosts } from '../domain/service-hosts.ts'
import { baseOf } from '../lib/url.ts'
import type { Config } from '../config/config.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { SystemClock } from '../lib/clock.ts'
import type { Observation } from '../ports/observer.ts'
import type { Counters } from '../monitoring/counters.ts'

/** Beginning of all addresses that the server gives out; set when it listens. */
export interface Links {
  base: string
  /** URL that the server listens on; it differs from `base` if there is a public URL. */
  listening: string
  /** URL that the server listens on for HTTPS, if TLS is on. */
  tls?: string
}

/** State of the server as a whole. */
export interface ServerLife {
  /** True from the signal to stop: a load balancer must send nothing more. */
  isStopping: boolean
}

/** Basis of all builders: the configuration and the things made from it alone. */
export interface Setup {
  config: Config
  systemClock: SystemClock
  log: Logger
  /** Log of payments and callbacks. It has errors only where event lines show the rest. */
  paymentLog: Logger
  catalogue: Catalogue
  scenarioLibrary: ScenarioLibrary
  counters: Counters
  links: Links
  observation: Observation
  /** State of the server that it tells load balancers. */
  life: ServerLife
  /** Certificate of the authority that signed the certificate of the TLS listener. */
  authority: string | undefined
  /** Aborted by the signal to stop: large work is left to the next start. */
  stop: AbortSignal | undefined
  /** Certificates of authorities that callback receivers may use besides the public ones. */
  trustedAuthorities: readonly string[]
}

/** Returns every URL of this server. */
export function listOwnUrls ({ base, listening, tls }: Links): string[] {
  if (tls === undefined) return [base, listening]
  return [base, listening, tls, ...serviceHosts.map((host) => `https://${host}`)]
}

/** Returns the link to a page: below the URL of its setting, or else below the public URL. */
export function pageLink (
  { config, links }: Pick<Setup, 'config' | 'links'>,
  page: 'checkout' | 'paymentPage',
  code: string
): string {
  const base = page === 'checkout' ? config.checkoutUrl : config.paymentPageUrl
  return writePageLink(page, base === undefined ? links.base : baseOf(base), code)
}
