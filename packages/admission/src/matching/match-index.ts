import type { AdmissionAttributes } from '../admission.ts'
import { PathCache } from './match-criteria.ts'
import type { MatchCriteria } from './match-criteria.ts'

/**
 * A list of webhooks or policies that is searched by path. A write sees only those whose rules can match its path, so that the others cost
 * nothing. Create another index if the list changes.
 */
export class MatchIndex<Entry extends { readonly criteria: MatchCriteria }> {
  readonly entries: readonly Entry[]
  readonly #candidates = new PathCache<readonly Entry[]>()

  constructor(entries: readonly Entry[]) {
    this.entries = entries
  }

  /** Returns the entries that can match a write, in the order of the list. */
  candidates(attributes: AdmissionAttributes): readonly Entry[] {
    const { entries } = this
    if (entries.length === 0) return entries
    return this.#candidates.get(attributes, () => entries.filter(({ criteria }) => criteria.coversPath(attributes)))
  }
}
