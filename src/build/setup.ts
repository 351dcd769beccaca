import type { Logger } from 'pino'
import type { ScenarioLibrary } from '../../simulator/scenario-library.ts'
import type { Config } from '../config/config.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { SystemClock } from '../lib/clock.ts'
import type { Counters } from '../monitoring/counters.ts'

/** Beginning of all addresses that the server gives out; set when it listens. */
export interface Links {
  base: string
  /** URL that the server listens on; it differs from `base` if there is a public URL. */
  listening: string
}

/** Basis of all builders: the configuration and the things made from it alone. */
export interface Setup {
  config: Config
  systemClock: SystemClock
  log: Logger
  catalogue: Catalogue
  scenarioLibrary: ScenarioLibrary
  counters: Counters
  links: Links
}
