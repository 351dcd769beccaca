import type { Account } from '../src/domain/account.ts'
import { availability } from '../src/domain/account.ts'
import type { Catalogue } from '../src/domain/catalog.ts'
import type { Kind } from '../src/domain/kinds.ts'
import { kinds } from '../src/domain/kinds.ts'
import { postingsFor } from '../src/domain/money.ts'
import type { Delayed, Details, Generation, Instruction, Payment, Plan } from '../src/domain/payment.ts'
import type { Child, Draft, Facts } from '../src/domain/ports.ts'
import type { Refusal } from '../src/domain/refusal.ts'
import { judgeRefund } from '../src/domain/refunds.ts'
import type { Scenario } from '../src/domain/scenario.ts'
import type { Judgeable } from '../src/domain/rules.ts'
import { isRefusal, judge } from '../src/domain/rules.ts'
import { judgePart, judgeSplit } from '../src/domain/splits.ts'
import type { Ids } from '../src/ids.ts'
import type { Choice, Situation } from './choice.ts'
import { chooser } from './choice.ts'
import { completes, dueOf, schedule, stepsOf } from './script.ts'

/** Where the customer of a deposit authorises it. */
export type AuthorizationUrl = (account: Account, depositId: string) => string

/** Judges instructions, and plans what becomes of those that are good. */
export class Planner {
  readonly #catalogue: Catalogue
  readonly #ids: Ids
  readonly #choose: (situation: Situation) => Choice | Refusal
  readonly #authorizationUrl: AuthorizationUrl

  constructor (catalogue: Catalogue, scenarios: readonly Scenario[], ids: Ids, authorizationUrl: AuthorizationUrl) {
    this.#catalogue = catalogue
    this.#choose = chooser(catalogue, scenarios, (text) => ids.chance(text))
    this.#ids = ids
    this.#authorizationUrl = authorizationUrl
  }

  countryOf (provider: string | undefined): string | undefined {
    return provider === undefined ? undefined : this.#catalogue.providers.get(provider)?.country
  }

  /** What the rules of its kind say to an instruction. */
  judge (account: Account, generation: Generation, kind: Kind, instruction: Instruction, facts: Facts, now: number): Details | Refusal {
    if (kind.name === 'refund') return judgeRefund(instruction, facts, account, this.#catalogue, generation, now)
    if (kind.name === 'splitPayment') return judgeSplit(instruction, facts, account, this.#catalogue, generation)
    return judge(kind, instruction as Judgeable, account, this.#catalogue, generation)
  }

  /** What becomes of a payment, and why; or the refusal that a scenario wants. */
  choose (situation: Situation): Choice | Refusal {
    return this.#choose(situation)
  }

  /** A payment that may be stored, with the plan it will follow and its parts, if it begins with any. */
  draft (account: Account, generation: Generation, kind: Kind, details: Details, created: number, choice?: Choice): Draft {
    const settled = this.#authorised(account, generation, kind, details)
    const chosen = choice ?? this.#choosePart({ account, generation, kind, details, used: () => 0 })
    const plan = this.#plan(account, kind, settled, chosen, created)
    const due = dueOf({ plan, moves: [] })
    return {
      generation,
      created,
      details: settled,
      plan,
      postings: postingsFor(kind, settled, 'ACCEPTED'),
      ...(due !== undefined && { due }),
      ...(chosen.uses.length > 0 && { uses: chosen.uses }),
      ...(kind.machine === 'split' && { children: [this.#leg(account, generation, settled, created)] })
    }
  }

  /** The payouts of a split payment whose deposit is through. */
  payouts (account: Account, { details, generation }: Payment, now: number): Child[] {
    return (details.splits ?? []).flatMap((split) => {
      const part = judgePart(split, details.currency, account, this.#catalogue, generation)
      return isRefusal(part) ? [] : [{ kind: kinds.payout, draft: this.draft(account, generation, kinds.payout, part, now) }]
    })
  }

  /** The deposit a split payment begins with. */
  #leg (account: Account, generation: Generation, { splits: _, ...details }: Details, created: number): Child {
    return { kind: kinds.deposit, draft: this.draft(account, generation, kinds.deposit, { ...details, silent: true }, created) }
  }

  #authorised (account: Account, generation: Generation, kind: Kind, details: Details): Details {
    const redirects = kind.name === 'deposit' && generation === 'v2' && this.#catalogue.providers.get(details.provider)?.authType === 'REDIRECT_AUTH'
    return redirects ? { ...details, authorizationUrl: this.#authorizationUrl(account, details.id) } : details
  }

  /** A part was accepted with its whole, so what would refuse it does not count. */
  #choosePart (situation: Situation): Choice {
    const choice = this.#choose(situation)
    return isRefusal(choice) ? { ...completes, why: choice.message, uses: [] } : choice
  }

  #plan (account: Account, kind: Kind, details: Details, { name, why, steps: script }: Choice, created: number): Plan {
    const steps = stepsOf(script).map((step) => notified(step, details))
    const base = { scenario: name, why, providerTransactionId: this.#ids.providerTransaction(account.name, kind.name, details.id) }
    // A split payment ends when its parts have ended; of its own it only begins.
    if (kind.machine === 'split') return { ...base, steps: schedule(steps.slice(0, 1), created) }
    if (availability(account, details.provider, kind.operation) === 'DELAYED') {
      return { ...base, why: `${details.provider} is DELAYED for ${kind.operation}`, steps: [{ at: created, to: 'ENQUEUED' }], held: steps.filter(({ to }) => to !== 'ENQUEUED') }
    }
    return { ...base, steps: schedule(steps, created) }
  }
}

/** The customer of a redirecting provider is waited for, so the merchant hears where to send them. */
function notified (step: Delayed, { authorizationUrl }: Details): Delayed {
  return authorizationUrl !== undefined && step.to === 'PROCESSING' ? { ...step, notify: true } : step
}
