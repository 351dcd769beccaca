import type { Logger } from 'pino'
import type { Accounts } from '../src/accounts/registry.ts'
import { nameForLog } from '../src/accounts/sandbox-tokens.ts'
import { showUrl } from '../src/lib/url.ts'
import type { Attempt, Delivery, DeliveryVerdict } from '../src/ports/ledger.ts'
import type { Observation } from '../src/ports/observer.ts'
import type { Counters } from '../src/monitoring/counters.ts'
import { isAcknowledged } from './retries.ts'

/** Parts that reports of attempts need. */
export interface ReportParts {
  accounts: Accounts
  log: Logger
  counters: Counters
  observation: Observation
}

/** Reports an attempt to the metrics, the log and the followers of events. */
export function reportAttempt (
  { accounts, log, counters, observation }: ReportParts,
  delivery: Delivery,
  attempt: Attempt,
  verdict: DeliveryVerdict
): void {
  countAttempt(counters, delivery, attempt)
  logAttempt(accounts, log, delivery, attempt, verdict)
  observation.observer?.tryCallback(delivery, attempt, verdict)
}

function countAttempt (counters: Counters, { firstDue }: Delivery, attempt: Attempt): void {
  const acknowledged = isAcknowledged(attempt)
  counters.attempts.add(
    acknowledged ? 'acknowledged' : attempt.status === undefined ? 'failed' : 'refused'
  )
  if (acknowledged) {
    counters.lag.observe(Math.max(0, attempt.at + attempt.durationMs - firstDue) / 1000)
  }
}

function logAttempt (
  accounts: Accounts,
  log: Logger,
  delivery: Delivery,
  { status, error }: Attempt,
  { state }: DeliveryVerdict
): void {
  if (state === 'ACKNOWLEDGED' && !log.isLevelEnabled('debug')) return
  const line = {
    account: nameForLog(accounts.byId(delivery.account)),
    callback: delivery.seq,
    url: showUrl(delivery.url),
    attempt: delivery.attempts + 1,
    status,
    error,
    state
  }
  if (state === 'ACKNOWLEDGED') log.debug(line, 'callback acknowledged')
  else if (state === 'PENDING') log.warn(line, 'callback not acknowledged, it is tried again')
  else log.warn(line, 'callback not acknowledged, no more attempts; it can be resent')
}
