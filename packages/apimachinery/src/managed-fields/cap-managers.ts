import { compareUtf8 } from '../utf8-order.ts'
import { unionOf } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { identityOf, identityText } from './managed.ts'
import type { Managed, ManagerIdentity } from './managed.ts'

/** The maximum number of separate updaters. */
export const maxUpdateManagers = 10
const bucketName = 'ancient-changes'

interface Merged {
  readonly first: string
  /** All merged sets but the first, unless there was no existing "ancient-changes" set. */
  readonly sets: FieldSet[]
  time: string | undefined
}

/** Merges the oldest updaters of each version beyond the limit into one, with the time of the youngest of them. */
export function capUpdateManagers(managed: Managed): void {
  const updaters = [...managed].filter(([, { applied }]) => !applied)
  let surplus = updaters.length - maxUpdateManagers
  if (surplus <= 0) return
  updaters.sort(([a, x], [b, y]) => compareUtf8(x.time ?? '', y.time ?? '') || compareUtf8(a, b))
  const versions = new Map<string, Merged>()
  for (const [id, { apiVersion, set, time }] of updaters) {
    if (surplus <= 0) break
    const merged = versions.get(apiVersion)
    if (merged === undefined) {
      versions.set(apiVersion, { first: id, sets: [], time })
      continue
    }
    if (merged.sets.length === 0) merged.sets.push(takeBucketOrOldest(managed, apiVersion, merged.first))
    merged.sets.push(set)
    merged.time = time
    managed.delete(id)
    surplus--
  }
  for (const [apiVersion, { sets, time }] of versions) {
    if (sets.length === 0) continue
    const identity = bucketOf(apiVersion)
    managed.set(identityText(identity), { identity, apiVersion, applied: false, set: unionOf(sets), time })
  }
}

/** The existing "ancient-changes" set; if there is none, takes the oldest updater's set and removes that entry. */
function takeBucketOrOldest(managed: Managed, apiVersion: string, first: string): FieldSet {
  const known = managed.get(identityText(bucketOf(apiVersion)))
  if (known !== undefined) return known.set
  const { set } = managed.get(first)!
  managed.delete(first)
  return set
}

function bucketOf(apiVersion: string): ManagerIdentity {
  return identityOf(bucketName, 'Update', apiVersion, '')
}
