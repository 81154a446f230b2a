/**
 * The state of mutating plugins during a write. If a plugin requests it, the chain runs all mutating plugins a second time, because a later
 * plugin may have changed what an earlier one has to see.
 */
export class Reinvocation {
  /** Whether the plugins run for the second time. */
  isSecondRun = false
  /** Whether a plugin has requested the second run. */
  isRequested = false
  #states: Map<string, unknown> | undefined

  /** Requests the second run. Has no effect during the second run. */
  request(): void {
    this.isRequested = true
  }

  /** Returns the state that a plugin keeps from the first run to the second. */
  stateOf<State>(plugin: string, create: () => State): State {
    const states = (this.#states ??= new Map())
    const existing = states.get(plugin) as State | undefined
    if (existing !== undefined) return existing
    const state = create()
    states.set(plugin, state)
    return state
  }
}
