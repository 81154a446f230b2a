import { OrderedTree, type Entry } from '@keelson/storagebackend'
import type { Durability, LoadedState } from './durability.ts'
import { EmbeddedStore, type EmbeddedBackend, type StoreOrigin } from './embedded-store.ts'
import { LmdbDurability } from './lmdb-durability.ts'
import { storeOptions, type StoreOptions } from './open-memory.ts'
import { WriteBehind } from './write-behind.ts'

export interface EmbeddedOptions extends StoreOptions {
  /** The data directory, which is created if it is missing. One process at a time can open it, otherwise `LockedError` is thrown. */
  readonly dataDir: string
  /**
   * When a write resolves. `fsync`: when it would survive a power failure. `memory`: at once, while it is written. A crash or power failure then
   * loses the newest writes, an orderly close loses none. Default: `fsync`.
   */
  readonly durability?: 'fsync' | 'memory'
  /** Logs messages for operators at level 0: the directory is accessible to others, the disk is full. Default: none. */
  readonly log?: (level: number, text: string, fields?: Readonly<Record<string, unknown>>) => void
}

/** Smaller stores are not unmapped, because that takes milliseconds. */
const minUnmapBytes = 16 * 2 ** 20

/** Opens a store on disk. History starts at its current revision, so watches from older revisions fail. */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedBackend> {
  const durability = await LmdbDurability.open(options.dataDir, options.log && { log: options.log })
  const written = options.durability === 'memory' ? new WriteBehind(durability) : durability
  try {
    const origin = originOf(written.load())
    if (origin.bytes > minUnmapBytes) await durability.unmap()
    return new EmbeddedStore(storeOptions(options), origin, written)
  } catch (error) {
    await durability.close()
    throw error
  }
}

/** Opens the store over any durability. */
export function openDurable(durability: Durability, options: StoreOptions): EmbeddedBackend {
  return new EmbeddedStore(storeOptions(options), originOf(durability.load()), durability)
}

function originOf(loaded: LoadedState): StoreOrigin {
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
