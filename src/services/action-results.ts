/** Result of an action of the dashboard, shown on the page after it. */
export interface ActionResult {
  done?: string
  problem?: string
  /** Call of the action as a curl command; absent if a field could not be read. */
  curl?: string
  /** True if the page shows the problem at its field. */
  isInPlace?: boolean
  /** Name of the snapshot that takes the action back. */
  undo?: string
  /** Fields of the form, to be shown again. */
  fields: Record<string, string>
}

/** Number of results that are kept. */
const keptResults = 100

/**
 * Results of the latest actions. The address of the page after an action has the number of its
 * result.
 */
export class ActionResults {
  readonly #results = new Map<string, ActionResult>()
  #last = 0

  /** Keeps a result, and returns its number. */
  add (result: ActionResult): string {
    const number = String(++this.#last)
    this.#results.set(number, result)
    this.#results.delete(String(this.#last - keptResults))
    return number
  }

  find (number: string): ActionResult | undefined {
    return this.#results.get(number)
  }
}
