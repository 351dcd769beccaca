import type { Machine } from './clock.ts'
import { timeOn } from './clock.ts'
import type { Account } from './domain/account.ts'
import type { Catalogue } from './domain/catalog.ts'
import type { Kind } from './domain/kinds.ts'
import { postingsFor } from './domain/money.ts'
import type { Generation, Instruction, Move, Payment, Plan } from './domain/payment.ts'
import { stateAt } from './domain/payment.ts'
import type { Draft, Ledger } from './domain/ports.ts'
import type { Refusal } from './domain/refusal.ts'
import type { Judgeable } from './domain/rules.ts'
import { isRefusal, judge } from './domain/rules.ts'
import type { Ids } from './ids.ts'
import type { Initiation } from './wire/wire.ts'
import { chooseScript } from '../simulator/choice.ts'
import { dueOf, schedule } from '../simulator/script.ts'

/** The verbs: what a merchant can do with payments. They know no HTTP. */
export class Payments {
  readonly #ledger: Ledger
  readonly #catalogue: Catalogue
  readonly #ids: Ids
  readonly #machine: Machine

  constructor (ledger: Ledger, catalogue: Catalogue, ids: Ids, machine: Machine) {
    this.#ledger = ledger
    this.#catalogue = catalogue
    this.#ids = ids
    this.#machine = machine
  }

  /** Accepts a payment, or says why not. An identifier that was accepted before changes nothing, whatever else is sent. */
  async initiate (account: Account, generation: Generation, kind: Kind, instruction: Instruction): Promise<Initiation> {
    const now = timeOn(account.clock, this.#machine.now())
    const acceptance = await this.#ledger.accept({ account: account.id, kind, id: instruction.id }, () => this.#draft(account, generation, kind, instruction, now))
    if (acceptance.outcome !== 'ACCEPTED') return acceptance
    return { ...acceptance, state: stateAt(acceptance.payment, now) }
  }

  /** A payment and its state at this moment. */
  async find (account: Account, kind: Kind, id: string): Promise<{ payment: Payment, state: Move } | undefined> {
    const payment = await this.#ledger.find({ account: account.id, kind, id })
    return payment && { payment, state: stateAt(payment, timeOn(account.clock, this.#machine.now())) }
  }

  #draft (account: Account, generation: Generation, kind: Kind, instruction: Instruction, created: number): Draft | Refusal {
    const details = judge(kind, instruction as Judgeable, account, this.#catalogue, generation)
    if (isRefusal(details)) return details
    const { script, why } = chooseScript(kind, details, this.#catalogue)
    const plan: Plan = {
      scenario: script.name,
      why,
      steps: schedule(script, created),
      providerTransactionId: this.#ids.providerTransaction(account.name, kind.name, instruction.id)
    }
    return { generation, created, details, plan, postings: postingsFor(kind, details, 'ACCEPTED'), due: dueOf({ plan, moves: [] }) }
  }
}
