/**
 * Calls a step for each item, one after the other. Returns a promise only if a step does. The remaining steps then wait for it.
 *
 * @example
 * const pending = runInOrder(policies, (policy) => evaluate(policy))
 * if (pending !== undefined) await pending
 */
export function runInOrder<Item>(items: readonly Item[], step: (item: Item) => Promise<void> | void, from = 0): Promise<void> | void {
  for (let i = from; i < items.length; i++) {
    const pending = step(items[i]!)
    if (pending !== undefined) return pending.then(() => runInOrder(items, step, i + 1))
  }
}
