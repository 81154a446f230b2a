import { OrderedTree, type Entry } from '@keelson/storagebackend'
import type { Durability, LoadedState } from './durability.ts'
import { EmbeddedStore, type EmbeddedBackend, type StoreOrigin } from './embedded-store.ts'
import { LmdbDurability } from './lmdb-durability.ts'
import { storeOptions, type StoreOptions } from './open-memory.ts'
import { WriteBehind } from './write-behind.ts'

export interface EmbeddedOptions extends StoreOptions {
  /** Made when it is not there. One process at a time; throws `LockedError` otherwise. */
  readonly dataDir: string
  /**
   * When a write is answered. `fsync`, the default: it would survive a power cut. `memory`: at once, and it is on its way to the disk. A
   * crash or a power cut then costs the newest writes, as if they had never been; an orderly close costs none.
   */
  readonly durability?: 'fsync' | 'memory'
  /** Gets what an operator should know although the store works, at the level 0: that others may enter the directory, that the disk is full. Default: nothing. */
  readonly log?: (level: number, text: string, fields?: Readonly<Record<string, unknown>>) => void
}

/** Less than this is not worth the milliseconds. */
const muchMapped = 16 * 2 ** 20

/** A store on disk. History starts anew: a watch from before the start is told to list again. */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedBackend> {
  const durability = await LmdbDurability.open(options.dataDir, options.log && { log: options.log })
  const written = options.durability === 'memory' ? new WriteBehind(durability) : durability
  try {
    const origin = originOf(written.load())
    if (origin.bytes > muchMapped) await durability.unmap()
    return new EmbeddedStore(storeOptions(options), origin, written)
  } catch (error) {
    await durability.close()
    throw error
  }
}

/** The store over any durability. */
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
