import { TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { hasSnapshots, type Entry } from './backend.ts'
import { prefixRange } from './key-range.ts'
import type { ObjectAccess } from './object-access.ts'
import type { StorageStats } from './storage.ts'

/** Without snapshots the average is that of the first so many objects: enough for an estimate, and cheap to fetch. */
const sampled = 100

/** The number and average stored size of the objects under `prefix`: exact if the driver has snapshots, otherwise from a sample. */
export async function storageStats<T extends KubeObject>(access: ObjectAccess<T>, prefix: string): Promise<StorageStats> {
  const range = prefixRange(prefix)
  const { backend } = access
  if (!hasSnapshots(backend)) {
    const { entries, count } = await access.measured('listWithCount', prefix, () => backend.list(range, { limit: sampled }))
    return { objectCount: count, estimatedAverageObjectSize: await averageSize(entries) }
  }
  const snapshot = await access.measured('listWithCount', prefix, () => backend.snapshot())
  return { objectCount: snapshot.count(range), estimatedAverageObjectSize: await averageSize(snapshot.scan(range)) }
}

async function averageSize(entries: Iterable<Entry>): Promise<number> {
  const slice = new TimeSlice(64)
  let count = 0
  let total = 0
  for (const { value } of entries) {
    count++
    total += value.length
    const pause = slice.pauseIfOver()
    if (pause) await pause
  }
  return count === 0 ? 0 : Math.floor(total / count)
}
