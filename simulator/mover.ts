import type { Accounts } from '../src/accounts.ts'
import { callbackUrl } from '../src/domain/account.ts'
import { postingsFor } from '../src/domain/money.ts'
import type { Payment } from '../src/domain/payment.ts'
import { mayMove, stateAt } from '../src/domain/payment.ts'
import type { Happening, Ledger, Letter } from '../src/domain/ports.ts'
import type { Wire } from '../src/wire/wire.ts'
import { dueOf, movesDue } from './script.ts'

/** At most this many payments are moved in one transaction, so that requests are not kept waiting. */
export const sweepLimit = 500

/** Moves payments along their plans when they fall due, with the money and the callback that belong to it. */
export class Mover {
  readonly #ledger: Ledger
  readonly #accounts: Accounts
  readonly #wires: Record<Payment['generation'], Wire>

  constructor (ledger: Ledger, accounts: Accounts, wires: Record<Payment['generation'], Wire>) {
    this.#ledger = ledger
    this.#accounts = accounts
    this.#wires = wires
  }

  /** Moves what is due on an account's clock, up to the limit; says how many payments that were. */
  sweep (account: number, now: number): Promise<number> {
    return this.#ledger.sweep(account, now, sweepLimit, (payment) => this.#happening(payment, now))
  }

  #happening (payment: Payment, now: number): Happening {
    const moves = movesDue(payment, now)
    const from = payment.moves.at(-1)?.to ?? 'ACCEPTED'
    moves.reduce((state, { to }) => {
      if (!mayMove(payment.kind, state, to)) throw new Error(`scenario '${payment.plan.scenario}' would move a ${payment.kind.name} from ${state} to ${to}`)
      return to
    }, from)
    const after: Payment = { ...payment, moves: [...payment.moves, ...moves] }
    return {
      moves,
      postings: moves.flatMap(({ to }) => postingsFor(payment.kind, payment.details, to)),
      letter: moves.length === 0 ? undefined : this.#letter(after, now),
      due: dueOf(after)
    }
  }

  /** The callback about a payment as it now stands, in the spelling of the generation it came in. */
  #letter (payment: Payment, now: number): Letter | undefined {
    const url = callbackUrl(this.#accounts.byId(payment.account).settings, payment.kind)
    if (url === undefined) return undefined
    const body = this.#wires[payment.generation].codecs[payment.kind.name]?.write(payment, stateAt(payment, now))
    return { url, body: JSON.stringify(body), due: now }
  }
}
