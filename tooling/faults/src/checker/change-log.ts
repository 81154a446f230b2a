import type { Revision } from '@keelson/storagebackend'
import type { CallRecord, History, Report, Seen, Tag } from './history.ts'

/** One version of a key. `tag` is undefined if this version is a deletion. */
export interface Version {
  readonly key: string
  readonly revision: Revision
  readonly tag: Tag | undefined
  readonly create: Revision
  readonly previous: Version | undefined
}

interface CreatedAt {
  readonly at: Revision
  readonly created: Revision
}

/**
 * All known writes of a history, reconstructed from responses and watches. Contains acknowledged writes, and unacknowledged writes that a
 * client saw. Revisions have no gaps, so a revision that is missing in the log belongs to an unacknowledged write that no client saw.
 */
export class ChangeLog {
  /** Versions by revision, then by key. */
  readonly changes: Map<Revision, Map<string, Version>> = new Map()
  readonly versions: Map<string, Version[]> = new Map()
  /** Revisions in ascending order. */
  revisions: readonly Revision[] = []
  readonly expiries: { readonly key: string; readonly revision: Revision }[] = []
  readonly #resolved = new Map<CallRecord, Revision>()
  readonly #history: History
  readonly #maybeDeleted = new Set<string>()
  /** Keys with an unacknowledged put that no client saw. */
  readonly #maybePut = new Set<string>()
  /** Create revisions by key, in ascending order, as seen in the key's versions. */
  readonly #created = new Map<string, CreatedAt[]>()

  constructor(history: History, report: Report) {
    this.#history = history
    const writers = new Map<Tag, CallRecord>()
    for (const record of history.calls) {
      if (record.call.type !== 'commit') continue
      for (const operation of record.call.operations) {
        if (operation.type === 'put') writers.set(operation.tag, record)
        else if (record.outcome.type === 'unknown') this.#maybeDeleted.add(operation.key)
      }
    }
    for (const seen of listEverythingSeen(history)) {
      const created = this.#created.get(seen.key) ?? []
      this.#created.set(seen.key, created)
      created.push({ at: seen.modRevision, created: seen.createRevision })
      const record = writers.get(seen.tag)
      if (!record) report('nothing-from-nowhere', `${describe(seen)} was never written`)
      else if (record.outcome.type === 'failed') report('failed-writes-leave-nothing', `${describe(seen)} belongs to a failed write`)
      else if (record.outcome.type === 'lost')
        report('failed-writes-leave-nothing', `${describe(seen)} belongs to a write that lost its race`)
      else if (record.outcome.type === 'unknown' && !this.#resolved.has(record)) this.#resolved.set(record, seen.modRevision)
    }
    for (const record of history.calls) {
      if (record.call.type !== 'commit' || record.outcome.type !== 'unknown' || this.#resolved.has(record)) continue
      for (const operation of record.call.operations) if (operation.type === 'put') this.#maybePut.add(operation.key)
    }
    for (const created of this.#created.values()) created.sort((a, b) => a.at - b.at)
    this.#replay(report)
  }

  /** Returns the revision of an unacknowledged write. Returns undefined if no client saw the write. */
  findRevision(record: CallRecord): Revision | undefined {
    return this.#resolved.get(record)
  }

  /** Returns the version of a key at a revision. Returns undefined if the key did not exist yet. */
  findVersion(key: string, revision: Revision): Version | undefined {
    const versions = this.versions.get(key)
    if (!versions) return undefined
    let low = 0
    let high = versions.length
    while (low < high) {
      const mid = (low + high) >> 1
      if (versions[mid]!.revision <= revision) low = mid + 1
      else high = mid
    }
    return versions[low - 1]
  }

  /** Returns whether a key can disappear without a known write: a delete was never acknowledged, or keys may expire. */
  mayVanish(key: string): boolean {
    return this.#maybeDeleted.has(key) || this.#history.expiries === true
  }

  #replay(report: Report): void {
    const writes: { readonly revision: Revision; readonly record: CallRecord }[] = []
    const owners = new Map<Revision, CallRecord>()
    for (const record of this.#history.calls) {
      if (record.call.type !== 'commit') continue
      const revision = record.outcome.type === 'committed' ? record.outcome.revision : this.#resolved.get(record)
      if (revision === undefined) continue
      writes.push({ revision, record })
      if (!record.call.operations.some((operation) => operation.type === 'put')) continue
      if (owners.has(revision)) report('one-write-per-revision', `revision ${revision} was assigned to two writes`)
      owners.set(revision, record)
    }
    writes.sort((a, b) => a.revision - b.revision)
    const deletes = new Map<string, { readonly key: string; readonly revision: Revision }>()
    for (const watch of this.#history.watches)
      for (const segment of watch.segments)
        for (const item of segment.items)
          if (item.type === 'changes')
            for (const change of item.changes)
              if (change.type === 'delete') deletes.set(`${change.revision}/${change.key}`, { key: change.key, revision: change.revision })
    const seenDeletes = [...deletes.values()].sort((a, b) => a.revision - b.revision)
    const deletedAt = new Set(seenDeletes.map(({ revision }) => revision))
    // Returns true if the revision belongs to a write other than the delete. An earlier write that no client saw may have deleted the key.
    const isNoDelete = (key: string, revision: Revision): boolean =>
      this.mayVanish(key) && deletedAt.has(revision) && !deletes.has(`${revision}/${key}`)
    let next = 0
    const markSeenUntil = (revision: Revision): void => {
      for (; next < seenDeletes.length && seenDeletes[next]!.revision <= revision; next++) this.#seenDelete(seenDeletes[next]!, report)
    }
    for (const { revision, record } of writes) {
      markSeenUntil(revision - 1)
      if (record.call.type !== 'commit') continue
      const owner = owners.get(revision)
      for (const operation of record.call.operations) {
        if (operation.type === 'put') this.#add(operation.key, revision, operation.tag)
        // Deleting an absent key is not a write. The revision in its response belongs to another write.
        else if ((owner === undefined || owner === record) && this.#live(operation.key) && !isNoDelete(operation.key, revision))
          this.#add(operation.key, revision, undefined)
      }
    }
    markSeenUntil(Infinity)
    this.revisions = [...this.changes.keys()].sort((a, b) => a - b)
  }

  #seenDelete({ key, revision }: { key: string; revision: Revision }, report: Report): void {
    if (this.changes.get(revision)?.has(key) || !this.#live(key)) return
    if (!this.mayVanish(key)) report('nothing-from-nowhere', `the delete of ${key} at ${revision} was never requested`)
    this.expiries.push({ key, revision })
    this.#add(key, revision, undefined)
  }

  /**
   * Returns the create revision of a version. This is the version's own revision, unless a put that was neither acknowledged nor seen may
   * have created the key before.
   */
  #findCreation(key: string, revision: Revision): Revision {
    const creationRevision = this.#created.get(key)?.find(({ at }) => at >= revision)?.created
    return creationRevision !== undefined && creationRevision < revision && this.#maybePut.has(key) && !this.changes.has(creationRevision)
      ? creationRevision
      : revision
  }

  #live(key: string): boolean {
    return this.versions.get(key)?.at(-1)?.tag !== undefined
  }

  #add(key: string, revision: Revision, tag: Tag | undefined): void {
    let versions = this.versions.get(key)
    if (!versions) this.versions.set(key, (versions = []))
    const last = versions.at(-1)
    const previous = last?.tag === undefined ? undefined : last
    const version = { key, revision, tag, create: previous ? previous.create : this.#findCreation(key, revision), previous }
    versions.push(version)
    const changes = this.changes.get(revision)
    if (changes) changes.set(key, version)
    else this.changes.set(revision, new Map([[key, version]]))
  }
}

export function describe(seen: Seen): string {
  return `${seen.key} = ${seen.tag} (created ${seen.createRevision}, modified ${seen.modRevision})`
}

function* listEverythingSeen(history: History): Generator<Seen> {
  // Adds the changes of watches first, because they contain revisions.
  for (const watch of history.watches)
    for (const segment of watch.segments)
      for (const item of segment.items)
        if (item.type === 'changes')
          for (const change of item.changes) {
            if (change.type === 'put') yield change.entry
            if (change.previous) yield change.previous
          }
  for (const { outcome } of history.calls) {
    if (outcome.type === 'entry' && outcome.entry) yield outcome.entry
    else if (outcome.type === 'page') yield* outcome.entries
    else if (outcome.type === 'lost') for (const entry of outcome.current) if (entry) yield entry
  }
}
