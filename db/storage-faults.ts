import { LedgerUnusableError } from '../src/ports/ledger-error.ts'
import type { Engine } from './connection.ts'

/** Faults of the storage of a ledger: the disk is full, or the database does not answer. */
export class StorageFaults {
  /** Called when the storage fails, and with undefined when it works again. */
  listener: (fault: LedgerUnusableError | undefined) => void = () => {}
  /** Fault of the last transaction. */
  current: LedgerUnusableError | undefined
  readonly #engine: Engine

  constructor (engine: Engine) {
    this.#engine = engine
  }

  /** Returns the fault behind an error, or undefined. It is reported if it needs another advice. */
  note (error: unknown): LedgerUnusableError | undefined {
    const fault = this.#engine.explainFault(error)
    const isNew = this.current === undefined || fault?.fix !== this.current.fix
    if (fault !== undefined && isNew) this.#change(fault)
    return fault
  }

  /** Notes that the storage works again. */
  end (): void {
    this.#change(undefined)
  }

  /** Returns whether an error is the fault of the storage, and not of the work. */
  isFault (error: unknown): boolean {
    return (
      error instanceof LedgerUnusableError ||
      this.#engine.explainFault(error) !== undefined ||
      this.#engine.isConflict?.(error) === true
    )
  }

  /** Returns whether an error says that a row breaks a rule of its table. */
  isWrongRow (error: unknown): boolean {
    return this.#engine.isWrongRow(error)
  }

  #change (fault: LedgerUnusableError | undefined): void {
    this.current = fault
    this.listener(fault)
  }
}

/** Returns the error of work after the end of the ledger. A client can ask another server. */
export function closedError (): LedgerUnusableError {
  return new LedgerUnusableError('the ledger is closed', undefined, { isTemporary: true })
}
