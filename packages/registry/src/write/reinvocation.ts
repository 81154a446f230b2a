/**
 * The state of mutating plugins during a write. If a plugin requests it, the chain runs all mutating plugins a second time, because a later
 * plugin may have changed what an earlier one has to see.
 */
export class Reinvocation {
  /** Whether the plugins run for the second time. */
  isSecondRun = false
  /** Whether a plugin has requested the second run. */
  isRequested = false
  readonly #states = new Map<string, unknown>()

  /** Requests the second run. Has no effect during the second run. */
  request(): void {
    this.isRequested = true
  }

  /** Returns the state that a plugin keeps from the first run to the second. */
  stateOf<State>(plugin: string, create: () => State): State {
    const existing = this.#states.get(plugin) as State | undefined
    if (existing !== undefined) return existing
    const state = create()
    this.#states.set(plugin, state)
    return state
  }
}
