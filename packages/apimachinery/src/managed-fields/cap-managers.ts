import { compareText } from './compare-values.ts'
import { union } from './field-set.ts'
import { identityOf, identityText } from './managed.ts'
import type { Managed } from './managed.ts'

/** So many updaters are told apart. */
export const maxUpdateManagers = 10
const bucketName = 'ancient-changes'

/** Beyond the most that are kept, the oldest updaters of each version become one. */
export function capUpdateManagers(managed: Managed): void {
  const updaters = [...managed].filter(([, { applied }]) => !applied)
  let surplus = updaters.length - maxUpdateManagers
  if (surplus <= 0) return
  updaters.sort(([a, x], [b, y]) => compareText(x.time ?? '', y.time ?? '') || compareText(a, b))
  const firsts = new Map<string, string>()
  for (const [id, entry] of updaters) {
    if (surplus <= 0) return
    const { apiVersion, set, time } = entry
    const first = firsts.get(apiVersion)
    if (first === undefined) {
      firsts.set(apiVersion, id)
      continue
    }
    const identity = identityOf(bucketName, 'Update', apiVersion, '')
    const bucket = identityText(identity)
    const older = managed.get(bucket) ?? managed.get(first)!
    if (older === managed.get(first)) managed.delete(first)
    managed.delete(id)
    managed.set(bucket, { identity, apiVersion, applied: false, set: union(set, older.set), time })
    surplus--
  }
}
