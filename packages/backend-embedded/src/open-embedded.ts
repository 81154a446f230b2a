import { OrderedTree, type Entry } from '@keelson/storagebackend'
import type { Durability, LoadedState } from './durability.ts'
import { EmbeddedStore, type EmbeddedBackend, type StoreOrigin } from './embedded-store.ts'
import { LmdbDurability } from './lmdb-durability.ts'
import { storeOptions, type StoreOptions } from './open-memory.ts'
import { WriteBehind } from './write-behind.ts'

export interface EmbeddedOptions extends StoreOptions {
  /** The data directory. It is created if it is missing. Only one process at a time can open it. Other processes get a `LockedError`. */
  readonly dataDir: string
  /**
   * Determines when a write resolves. With `fsync` it resolves when it would survive a power failure. With `memory` it resolves at once,
   * and is written to disk in the background. A crash or power failure then loses the newest writes, while an orderly close loses none.
   * Default: `fsync`.
   */
  readonly durability?: 'fsync' | 'memory'
  /** Logs messages for operators with level 0: other users can access the directory, or the disk is full. Default: messages are dropped. */
  readonly log?: (level: number, text: string, fields?: Readonly<Record<string, unknown>>) => void
}

/**
 * The minimum size of a store, in bytes, that is unmapped after loading. Unmapping takes milliseconds, so it is not worthwhile for smaller
 * stores.
 */
const minUnmapBytes = 16 * 2 ** 20

/** Opens a store on disk. Its history starts at the current revision, so watches from older revisions fail. */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedBackend> {
  const durability = await LmdbDurability.open(options.dataDir, options.log && { log: options.log })
  const written = options.durability === 'memory' ? new WriteBehind(durability) : durability
  try {
    const origin = createOrigin(written.load())
    if (origin.bytes > minUnmapBytes) await durability.unmap()
    return new EmbeddedStore(storeOptions(options), origin, written)
  } catch (error) {
    await durability.close()
    throw error
  }
}

/** Opens a store with any implementation of `Durability`. */
export function openDurable(durability: Durability, options: StoreOptions): EmbeddedBackend {
  return new EmbeddedStore(storeOptions(options), createOrigin(durability.load()), durability)
}

function createOrigin(loaded: LoadedState): StoreOrigin {
  const leases = new Map(loaded.leases.map((lease) => [lease.id, { lease, keys: [] as string[] }]))
  const entries: Entry[] = []
  const index = new Map<string, Entry>()
  let bytes = 0
  for (const entry of loaded.entries) {
    entries.push(entry)
    index.set(entry.key, entry)
    bytes += entry.key.length + entry.value.length
    if (entry.lease) leases.get(entry.lease)?.keys.push(entry.key)
  }
  return { revision: loaded.revision, tree: OrderedTree.fromSorted(entries), index, bytes, leases: [...leases.values()] }
}
