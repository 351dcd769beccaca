import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config.ts'
import { MomockClient } from '../client/client.ts'
import type {
  Callback,
  FailureCode,
  JournalEntry,
  Kind,
  Payment,
  PaymentStatus,
  PaymentSummary,
  Scenario,
  StatusCheckAnswer
} from '../client/types.ts'
import { otherHost } from '../domain/callback-faults.ts'
import { kinds } from '../domain/kinds.ts'
import { callbackAddresses } from '../domain/service-hosts.ts'
import { stopwatch, systemClock } from '../lib/clock.ts'
import { parseDuration } from '../lib/duration.ts'
import { Duration, Type } from '../lib/typebox.ts'
import { createValidator } from '../lib/validator.ts'
import { version } from '../lib/package.ts'
import { readYamlFile, type FileProblem } from '../lib/yaml-file.ts'

/**
 * Everything that the exam uses from the rest of momock: the public client, and the readers of
 * users' files.
 */

export {
  callbackAddresses,
  ConfigError,
  createValidator,
  Duration,
  kinds,
  MomockClient,
  otherHost,
  parseDuration,
  readYamlFile,
  stopwatch,
  systemClock,
  Type,
  version
}
export type {
  Callback,
  FailureCode,
  FileProblem,
  JournalEntry,
  Kind,
  Payment,
  PaymentStatus,
  PaymentSummary,
  Scenario,
  StatusCheckAnswer
}

/** Kind of payment that a scenario can be about. */
export type ScenarioKind = Extract<NonNullable<Scenario['when']>['kind'], Kind>

/** Mock inside this process. */
export type Momock = MomockClient & { close: () => Promise<void> }

/** Function that starts a mock inside this process. */
export type CreateMock = (options: Partial<Config>) => Promise<Momock>
