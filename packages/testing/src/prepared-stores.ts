import { openMemory } from '@keelson/backend-embedded'
import type { EmbeddedBackend, StoreImage } from '@keelson/backend-embedded'
import { ClusterClock } from './cluster-clock.ts'
import type { ClusterOptions } from './cluster-options.ts'

/** Stores of clusters after their start, by the options that decide which objects a server creates: namespaces, roles, flow schemas. */
const images = new Map<string, StoreImage>()
const maxImages = 8

/** A store for a new server. */
export interface PreparedStore {
  readonly store: EmbeddedBackend
  /** Clock of the store and of the server. */
  readonly clock: ClusterClock
  /** True if a server has created the objects that every cluster has. */
  readonly hasBootstrapObjects: boolean
  /** True if controllers have handled all objects. They then start when an object changes. Default: false. */
  readonly isSettled?: boolean
}

/** Opens a store with the objects that a server with these options creates at its start, if a cluster with these options has started before. */
export function openPreparedStore(options: ClusterOptions): PreparedStore {
  const image = images.get(formatKey(options) ?? '')
  const clock = new ClusterClock(options.clock)
  return { store: openMemory({ clock, ...(image && { image }) }), clock, hasBootstrapObjects: image !== undefined }
}

/** Keeps the contents of a store after the start, for later clusters with the same options. */
export function keepPreparedStore(store: EmbeddedBackend, options: ClusterOptions): void {
  const key = formatKey(options)
  if (key !== undefined && !images.has(key) && images.size < maxImages) images.set(key, store.image())
}

/** Returns undefined for options of the server, which may change any object, and for a start in another time. */
function formatKey({ server = {}, controllers = ['*'], clock }: ClusterOptions): string | undefined {
  return Object.keys(server).length === 0 && clock?.start === undefined ? JSON.stringify(controllers) : undefined
}
