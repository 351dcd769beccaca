/** A part that is loaded when it is first needed. */
export interface Lazy<T> {
  (): Promise<T>
  /** Returns the part if somebody has asked for it. */
  current: () => Promise<T> | undefined
}

/** Loads a part when it is first needed. After a failure, the next call tries again. */
export function loadLazily<T> (load: () => Promise<T>): Lazy<T> {
  let loading: Promise<T> | undefined
  const get = (): Promise<T> => {
    if (loading !== undefined) return loading
    const attempt = load()
    loading = attempt
    attempt.catch(() => {
      loading = undefined
    })
    return attempt
  }
  return Object.assign(get, { current: () => loading })
}
