/** Somebody who sleeps, and can be woken up. To be woken up while awake ends the next sleep. */
export class Sleeper {
  #isAwake = false
  #resume: (() => void) | undefined

  readonly wake = (): void => {
    this.#isAwake = true
    this.#resume?.()
  }

  /** Sleeps until it is woken up, or for this long. */
  readonly sleep = async (ms: number): Promise<void> => {
    if (!this.#isAwake) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(ms, 1))
        this.#resume = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#resume = undefined
    }
    this.#isAwake = false
  }
}
