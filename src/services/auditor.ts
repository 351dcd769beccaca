import type { Account } from '../domain/account.ts'
import type { Audit } from '../ports/account-tables.ts'
import type { PaymentEvidence, Findings, Invariant, PostedEntry } from '../domain/invariants.ts'
import { invariants, judgePayment, judgeWallet } from '../domain/invariants.ts'
import type { Book } from '../domain/money.ts'
import type { ClockControl } from '../../simulator/clock-control.ts'

/** Number of payments that are read in one step, so that requests do not wait. */
const pageSize = 100
/** Most violations that are named for an invariant. All are counted. */
const named = 100

export interface AuditResult {
  name: Invariant
  rule: string
  checked: number
  broken: number
  offenders: Array<{ what: string; problem: string }>
}

/** Checks the invariants of an account. */
export class Auditor {
  readonly #audit: Audit
  readonly #clockControl: ClockControl

  constructor (audit: Audit, clockControl: ClockControl) {
    this.#audit = audit
    this.#clockControl = clockControl
  }

  /** Checks an account page by page, between requests. A reset waits for the end. */
  auditAccount (account: Account): Promise<AuditResult[]> {
    return this.#clockControl.runInTurn(account, () => this.#inspect(account.id))
  }

  async #inspect (account: number): Promise<AuditResult[]> {
    const verdicts = new Map(
      Object.entries(invariants).map(([name, rule]): [string, AuditResult] => [
        name,
        { name: name as Invariant, rule, checked: 0, broken: 0, offenders: [] }
      ])
    )
    const { wallets, openings, lastEntry } = await this.#audit.readWallets(account)
    const sums = new Map(
      wallets.map(({ id }) => [id, { available: 0, reserved: 0, world: 0 } as Record<Book, number>])
    )
    const missing = new Set<number>()
    const add = (entries: readonly PostedEntry[]): void => {
      for (const { wallet, book, amount } of entries) {
        const balances = sums.get(wallet)
        if (balances !== undefined) balances[book] += amount
        else missing.add(wallet)
      }
    }
    add(openings)
    let after: string | undefined
    do {
      const page = await this.#audit.readPage(account, after, pageSize)
      for (const { what, evidence, unreadable } of page.rows) {
        const findings = evidence === undefined ? { readable: unreadable } : judged(evidence)
        note(verdicts, findings.readable === undefined ? ofPayments : ['readable'], findings, what)
        // Entries that were written after the wallets were read do not count.
        add(evidence?.entries.filter(({ seq }) => seq <= lastEntry) ?? [])
      }
      after = page.next
    } while (after !== undefined)
    for (const wallet of wallets) {
      note(
        verdicts,
        ofWallets,
        judgeWallet(wallet, sums.get(wallet.id) as Record<Book, number>),
        `wallet ${wallet.country} ${wallet.currency}`
      )
    }
    for (const wallet of missing) {
      note(
        verdicts,
        ['walletsHold'],
        {
          walletsHold:
            'payments of this account have entries in it, and the account has no such wallet'
        },
        `wallet number ${wallet}`
      )
    }
    return [...verdicts.values()]
  }
}

const ofWallets: readonly Invariant[] = ['entriesBalance', 'walletsHold']
const ofPayments = (Object.keys(invariants) as Invariant[]).filter((name) => name !== 'walletsHold')

/** Checks a payment. One that cannot be read is a violation itself. */
function judged (evidence: PaymentEvidence): Findings {
  try {
    return judgePayment(evidence)
  } catch (error) {
    return { readable: (error as Error).message }
  }
}

/** Numbers of checked items and of violations. */
function note (
  verdicts: Map<string, AuditResult>,
  checked: readonly Invariant[],
  findings: Findings,
  what: string
): void {
  for (const name of checked) {
    const verdict = verdicts.get(name) as AuditResult
    const problem = findings[name]
    verdict.checked++
    if (problem === undefined) continue
    verdict.broken++
    if (verdict.offenders.length < named) verdict.offenders.push({ what, problem })
  }
}
