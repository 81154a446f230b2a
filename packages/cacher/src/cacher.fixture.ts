import { openMemory } from '@keelson/backend-embedded'
import type { KubeObject } from '@keelson/apimachinery'
import { createManualClock, settle } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import { createObjectStore, createRecordCodec, IteratedWatch } from '@keelson/storagebackend'
import type { Backend, ObjectCodec, ObjectEvent, ObjectSnapshots, ObjectWatch, Storage } from '@keelson/storagebackend'
import { Cacher } from './cacher.ts'
import type { CacherOptions } from './cacher.ts'

export const prefix = '/registry/pods/'

export interface Pod extends KubeObject {
  spec?: { nodeName?: string; note?: string }
}

export const podCodec: ObjectCodec<Pod> = createRecordCodec<Pod>({
  kind: 'Pod',
  schemaVersion: 1,
  selectableFields: { 'spec.nodeName': (pod) => pod.spec?.nodeName ?? '' },
})

export function createPod(
  namespace: string,
  name: string,
  more: { labels?: Record<string, string>; nodeName?: string; note?: string } = {},
): Pod {
  const { labels, nodeName, note } = more
  return {
    metadata: { name, namespace, uid: `uid-${namespace}-${name}`, ...(labels && { labels }) },
    spec: { ...(nodeName !== undefined && { nodeName }), ...(note !== undefined && { note }) },
  }
}

export function formatPodKey(namespace: string, name: string): string {
  return `${prefix}${namespace}/${name}`
}

export interface Fixture extends AsyncDisposable {
  readonly backend: Backend
  readonly store: Storage<Pod>
  readonly cacher: Cacher<Pod>
  readonly clock: ManualClock
  /** The errors that the cacher passed to `onError`. */
  readonly errors: unknown[]
  put(namespace: string, name: string, more?: Parameters<typeof createPod>[2]): Promise<number>
  remove(namespace: string, name: string): Promise<number>
  /** Resolves when the cache has received the current revision of the store. */
  waitUntilCurrent(): Promise<void>
}

export async function openFixture(
  options: Partial<CacherOptions<Pod>> & { readonly wrap?: (storage: Storage<Pod>) => Storage<Pod> } = {},
): Promise<Fixture> {
  const clock = createManualClock()
  const backend = openMemory({ clock })
  const resource = { group: '', resource: 'pods' }
  const store = createObjectStore<Pod>({ backend, codec: podCodec, resource, prefix, now: () => clock.now() })
  const errors: unknown[] = []
  const cacher = new Cacher<Pod>({
    prefix,
    clock,
    digestPeriod: 0,
    requestProgress: () => backend.requestProgress(),
    onError: (error) => errors.push(error),
    ...options,
    storage: options.wrap?.(store) ?? store,
  })
  await cacher.waitUntilReady(10_000)
  return {
    backend,
    store,
    cacher,
    clock,
    errors,
    async put(namespace, name, more) {
      const object = createPod(namespace, name, more)
      const stored = await store.guaranteedUpdate(formatPodKey(namespace, name), () => ({ object: object }), { ignoreNotFound: true })
      return stored.revision
    },
    remove: async (namespace, name) => (await store.delete(formatPodKey(namespace, name))).revision,
    async waitUntilCurrent() {
      await settle()
      await cacher.list(prefix, { resourceVersion: '' })
    },
    async [Symbol.asyncDispose]() {
      await cacher.close()
      await backend[Symbol.asyncDispose]()
    },
  }
}

/** Wraps a storage so that it has no `ObjectSnapshots`, like a storage on etcd. */
export function withoutSnapshots<T extends KubeObject>(storage: Storage<T>): Storage<T> {
  const { findSnapshot: _snapshotAt, ...otherMembers } = storage as Storage<T> & Partial<ObjectSnapshots<T>>
  return otherMembers
}

/** Formats events as short text: "ADDED ns/a@7", "BOOKMARK@9", "END@9". */
export function formatEvents(events: Iterable<ObjectEvent<Pod>>): string[] {
  return [...events].map((event) =>
    event.type === 'BOOKMARK'
      ? `${event.initialEventsEnd ? 'END' : 'BOOKMARK'}@${event.revision}`
      : `${event.type} ${event.object.key.slice(prefix.length)}@${event.object.revision}`,
  )
}

/** Reads a watch in the background, and collects its events. */
export class Collected {
  readonly batches: (readonly ObjectEvent<Pod>[])[] = []
  error: unknown
  ended = false
  readonly done: Promise<void>

  constructor(watch: ObjectWatch<Pod>) {
    this.done = this.#read(watch)
  }

  get brief(): string[] {
    return formatEvents(this.batches.flat())
  }

  async #read(watch: ObjectWatch<Pod>): Promise<void> {
    try {
      for await (const batch of watch) this.batches.push(batch)
    } catch (error) {
      this.error = error
    }
    this.ended = true
  }
}

/** A storage whose open watch a test can make fail. */
export interface Breakable {
  readonly wrap: (storage: Storage<Pod>) => Storage<Pod>
  /** The resourceVersions with which watches were opened. */
  readonly opened: string[]
  fail(error: Error): void
}

export function createBreakable(): Breakable {
  const openedWatches: string[] = []
  let failWatch: (error: Error) => void = () => undefined
  return {
    opened: openedWatches,
    fail: (error) => failWatch(error),
    wrap: (storage) => ({
      ...storage,
      async watch(key, options) {
        openedWatches.push(options.resourceVersion ?? '')
        const broken = new Promise<never>((_resolve, reject) => {
          failWatch = reject
        })
        broken.catch(() => undefined)
        const inner = (await storage.watch(key, options))[Symbol.asyncIterator]()
        return new IteratedWatch({ [Symbol.asyncIterator]: () => ({ next: () => Promise.race([inner.next(), broken]) }) })
      },
    }),
  }
}
