import { isInRange, type KeyRange, type Revision } from '@keelson/storagebackend'
import { createRandom } from '../load/random.ts'
import type { CallRecord, Outcome, Seen, SeenChange, WatchItem, WatchRecord, Write } from './history.ts'

/** History of a store without faults. Tests plant faults in it. */
export interface SimulatedHistory {
  calls: CallRecord[]
  watches: WatchRecord[]
  restarts: { time: number; revision: number }[]
  start: number
}

export interface SimulationOptions {
  readonly calls: number
  readonly keys: number
  readonly clients: number
  readonly seed: number
  readonly watches?: readonly { readonly name: string; readonly range: KeyRange; readonly resumeEvery?: number }[]
}

export const wholeRange: KeyRange = { start: '/', end: '0' }

export function simulate({
  calls: count,
  keys,
  clients,
  seed,
  watches = [{ name: 'all', range: wholeRange }],
}: SimulationOptions): SimulatedHistory {
  const random = createRandom(seed)
  const pick = (below: number): number => Math.floor(random() * below)
  const calls: CallRecord[] = []
  const changes: SeenChange[][] = []
  const state = new Map<string, Seen>()
  let revision = 1
  // Every client has one call at a time. A call takes effect in the middle between its start and its end.
  const freeAt = Array.from({ length: clients }, () => 0)
  for (let i = 0; i < count; i++) {
    const client = i % clients
    const at = i * 10 + 5
    const invoked = Math.max(freeAt[client]!, at - pick(10 * clients))
    const returned = at + 1 + pick(10 * (clients - 1))
    freeAt[client] = returned
    const key = `/k${pick(keys)}`
    const dice = random()
    if (dice < 0.25)
      calls.push({ call: { type: 'get', key }, invoked, returned, outcome: { type: 'entry', revision, entry: state.get(key) } })
    else if (dice < 0.3) calls.push({ call: { type: 'list', range: wholeRange }, invoked, returned, outcome: readPage() })
    else calls.push(commit(key, i, invoked, returned))
  }
  return { calls, watches: watches.map(watch), restarts: [], start: 1 }

  function readPage(): Outcome {
    const entries = [...state.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
    return { type: 'page', revision, entries, count: entries.length, more: false }
  }

  function commit(key: string, i: number, invoked: number, returned: number): CallRecord {
    const operations: Write[] = [random() < 0.8 ? { type: 'put', key, tag: `t${i}` } : { type: 'delete', key }]
    const second = `/k${pick(keys)}`
    if (random() < 0.2 && second !== key) operations.push({ type: 'put', key: second, tag: `u${i}` })
    const present = state.get(key)
    const compare = random() < 0.5 ? [{ key, modRevision: random() < 0.2 ? revision - 1 : (present?.modRevision ?? 0) }] : []
    const call = { type: 'commit', compare, operations } as const
    const unknown = random() < 0.02
    if (unknown && random() < 0.5) return { call, invoked, returned: returned + 100, outcome: { type: 'unknown' } }
    if (compare.some((c) => (state.get(c.key)?.modRevision ?? 0) !== c.modRevision))
      return {
        call,
        invoked,
        returned,
        outcome: unknown ? { type: 'unknown' } : { type: 'lost', revision, current: compare.map((c) => state.get(c.key)) },
      }
    const effective = operations.filter((operation) => operation.type === 'put' || state.has(operation.key))
    if (effective.length > 0) {
      revision++
      changes.push(effective.map(apply))
    }
    return {
      call,
      invoked,
      returned: unknown ? returned + 100 : returned,
      outcome: unknown ? { type: 'unknown' } : { type: 'committed', revision },
    }
  }

  function apply(operation: Write): SeenChange {
    const previous = state.get(operation.key)
    if (operation.type === 'delete') {
      state.delete(operation.key)
      return { type: 'delete', key: operation.key, revision, previous }
    }
    const entry = { key: operation.key, tag: operation.tag, createRevision: previous?.createRevision ?? revision, modRevision: revision }
    state.set(operation.key, entry)
    return { type: 'put', entry, previous }
  }

  function watch({ name, range, resumeEvery = Infinity }: { name: string; range: KeyRange; resumeEvery?: number }): WatchRecord {
    const segments: { after: Revision; items: WatchItem[] }[] = [{ after: 1, items: [] }]
    for (let r = 2; r <= revision; r++) {
      const visibleChanges = changes[r - 2]!.filter((change) => isInRange(range, change.type === 'put' ? change.entry.key : change.key))
      const { items } = segments.at(-1)!
      if (visibleChanges.length > 0) items.push({ type: 'changes', time: r * 20, revision: r, changes: visibleChanges })
      if (random() < 0.1) items.push({ type: 'progress', time: r * 20, revision: r })
      if (r % resumeEvery === 0 && items.length > 0) segments.push({ after: items.at(-1)!.revision, items: [] })
    }
    return { name, range, segments, mustReach: revision }
  }
}
