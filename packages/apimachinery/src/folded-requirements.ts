import { parseInt64 } from './go-text.ts'
import type { LabelRequirement, Labels } from './label-requirement.ts'

/** The allowed values of one key: the intersection of all lists of allowed values, without the denied values. */
export class FoldedTest {
  #allowed: Set<string> | undefined
  #denied: Set<string> | undefined

  allowOnly(values: readonly string[]): void {
    const allowed = this.#allowed
    this.#allowed = new Set(allowed === undefined ? values : values.filter((value) => allowed.has(value)))
  }

  deny(values: readonly string[]): void {
    this.#denied ??= new Set()
    for (const value of values) this.#denied.add(value)
  }

  holds(value: string): boolean {
    return this.#allowed?.has(value) !== false && this.#denied?.has(value) !== true
  }
}

/** All requirements of a selector for one key, combined. */
class KeyTest {
  readonly #values = new FoldedTest()
  /** True if an object without this label does not match. */
  required = false
  #forbidden = false
  #above: bigint | undefined
  #below: bigint | undefined

  add({ operator, values }: LabelRequirement): void {
    switch (operator) {
      case '=':
      case '==':
      case 'in':
        this.required = true
        return this.#values.allowOnly(values)
      case '!=':
      case 'notin':
        return this.#values.deny(values)
      case 'exists':
        this.required = true
        return
      case '!':
        this.#forbidden = true
        return
      case 'gt':
      case 'lt': {
        this.required = true
        const bound = values.length === 1 ? parseInt64(values[0]!) : undefined
        if (bound === undefined) this.#forbidden = true
        else if (operator === 'gt') this.#above = this.#above === undefined || bound > this.#above ? bound : this.#above
        else this.#below = this.#below === undefined || bound < this.#below ? bound : this.#below
      }
    }
  }

  holds(value: string): boolean {
    if (this.#forbidden || !this.#values.holds(value)) return false
    if (this.#above === undefined && this.#below === undefined) return true
    const number = parseInt64(value)
    if (number === undefined) return false
    return (this.#above === undefined || number > this.#above) && (this.#below === undefined || number < this.#below)
  }
}

/**
 * Combines many requirements into one test. The time of the test depends on the number of labels of the object, not on the number of
 * requirements.
 */
export function foldRequirements(requirements: readonly LabelRequirement[]): (labels: Labels) => boolean {
  const tests = new Map<string, KeyTest>()
  for (const requirement of requirements) {
    let test = tests.get(requirement.key)
    if (test === undefined) tests.set(requirement.key, (test = new KeyTest()))
    test.add(requirement)
  }
  const required = [...tests].filter(([, test]) => test.required).map(([key]) => key)
  return (labels) => {
    // The loop ends at the first key that the object lacks, so it runs at most once per label of the object.
    for (const key of required) if (!Object.hasOwn(labels, key)) return false
    for (const key of Object.keys(labels)) if (tests.get(key)?.holds(labels[key]!) === false) return false
    return true
  }
}
