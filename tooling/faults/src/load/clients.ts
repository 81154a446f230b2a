import { setTimeout as sleep } from 'node:timers/promises'
import { isBackendError, type Backend, type KeyRange, type Revision } from '@keelson/storagebackend'
import type { Outcome } from '../checker/index.ts'
import { RecordedBackend } from './recorded-backend.ts'
import type { Recorder } from './recorder.ts'

export interface LoadOptions {
  /** Unique name of the load. Every tag and name contains it. */
  readonly name: string
  readonly clients: number
  readonly watchers: number
  readonly keys: number
  readonly valueBytes: number
  /** Number of calls per client. Infinity continues until `stop`. */
  readonly calls: number
  readonly random: () => number
  /** Maximum age of the past states that clients read, in revisions. By default, clients read only the current state. */
  readonly past?: number
  /** Called before each call to the store. The client waits until the returned promise resolves. */
  readonly pace?: () => Promise<void>
}

export interface Load {
  /** Resolves when all clients have made their calls or were stopped. */
  readonly done: Promise<void>
  /** Stops the calls of the clients. The watchers continue. */
  stop(): void
  /** Waits until the watches have delivered all changes up to the revision, then ends the watches. */
  finish(revision: Revision): Promise<readonly string[]>
}

export const allKeys: KeyRange = { start: '/', end: '0' }

/** Starts concurrent clients that write, read, list and watch a few keys. */
export function startLoad(backend: Backend, recorder: Recorder, after: Revision, options: LoadOptions): Load {
  let stopped = false
  const clients = Array.from({ length: options.clients }, (_, i) =>
    runClient(new RecordedBackend(backend, recorder, `${options.name}c${i}`, options.valueBytes), options, () => stopped),
  )
  const watchers = Array.from({ length: options.watchers }, (_, i) => new Watching(backend, recorder, after, i, options))
  return {
    done: Promise.all(clients).then(() => undefined),
    stop: () => void (stopped = true),
    async finish(revision) {
      await Promise.all(watchers.map((watcher) => watcher.finish(backend, revision)))
      return watchers.map((watcher) => watcher.name)
    },
  }
}

async function runClient(backend: RecordedBackend, options: LoadOptions, stopped: () => boolean): Promise<void> {
  const { random } = options
  const revisions = new Map<string, Revision>()
  let revision = 0
  for (let i = 0; i < options.calls && !stopped(); i++) {
    await options.pace?.()
    const key = formatKey(Math.floor(random() * options.keys))
    const dice = random()
    let outcome: Outcome
    if (dice < 0.2) outcome = await backend.get(key)
    else if (dice < 0.23 && options.past && revision > 1)
      outcome = await backend.get(key, Math.max(1, revision - Math.floor(random() * options.past)))
    else if (dice < 0.25) outcome = await backend.list(allKeys, random() < 0.5 ? {} : { limit: 5 })
    else if (dice < 0.4) outcome = await backend.commit([], [{ type: 'delete', key }])
    else if (dice < 0.5) outcome = await backend.commit([{ key, modRevision: 0 }], [{ type: 'put', key, tag: backend.tag() }])
    else if (dice < 0.6) {
      const otherKey = formatKey(Math.floor(random() * options.keys))
      const operations = [{ type: 'put', key, tag: backend.tag() } as const]
      outcome = await backend.commit(
        [],
        otherKey === key ? operations : [...operations, { type: 'put', key: otherKey, tag: `${backend.tag()}b` }],
      )
    } else if (dice < 0.8)
      outcome = await backend.commit([{ key, modRevision: revisions.get(key) ?? 0 }], [{ type: 'put', key, tag: backend.tag() }])
    else outcome = await backend.commit([], [{ type: 'put', key, tag: backend.tag() }])
    if ('revision' in outcome) revision = Math.max(revision, outcome.revision)
    if (outcome.type === 'committed') revisions.set(key, outcome.revision)
    else if (outcome.type === 'lost') revisions.set(key, outcome.current[0]?.modRevision ?? 0)
    else if (outcome.type === 'entry') revisions.set(key, outcome.entry?.modRevision ?? 0)
    if (outcome.type === 'failed' || outcome.type === 'unknown') await sleep(2)
  }
}

/** A reader that watches the store. It ends and resumes its watch at random moments, and resumes whenever the store ends the watch. */
class Watching {
  readonly name: string
  readonly #range: KeyRange
  readonly #recorder: Recorder
  readonly #done: Promise<void>
  #abort = new AbortController()
  #position: Revision
  #goal: Revision | undefined
  #reached: (() => void) | undefined

  constructor(backend: Backend, recorder: Recorder, after: Revision, index: number, options: LoadOptions) {
    this.name = `${options.name}w${index}`
    // The first watcher watches all keys, so that only few writes are seen by no client.
    this.#range =
      index % 3 === 0
        ? allKeys
        : index % 3 === 1
          ? { start: formatKey(0), end: formatKey(Math.ceil(options.keys / 2)) }
          : { start: formatKey(index), end: undefined }
    this.#recorder = recorder
    this.#position = after
    this.#done = this.#run(backend, options)
  }

  async finish(backend: Backend, revision: Revision): Promise<void> {
    this.#goal = revision
    const reached = new Promise<void>((resolve) => (this.#reached = resolve))
    for (let i = 0; this.#position < revision && i < 200; i++) {
      await backend.requestProgress().catch(() => undefined)
      await Promise.race([reached, sleep(50)])
    }
    this.#goal = -1
    this.#abort.abort()
    await this.#done
  }

  async #run(backend: Backend, { name, random, valueBytes }: LoadOptions): Promise<void> {
    const reader = new RecordedBackend(backend, this.#told(), name, valueBytes)
    while (this.#goal !== -1) {
      this.#abort = new AbortController()
      try {
        await reader.watch(this.name, this.#range, this.#position, {
          signal: this.#abort.signal,
          pause: async () => {
            if (this.#goal === undefined && random() < 0.01) this.#abort.abort()
          },
        })
      } catch (error) {
        if (isBackendError(error, 'StoppedError')) return
        await sleep(20)
        if (isBackendError(error, 'CompactedError')) await this.#relist(backend)
      }
    }
  }

  /** Lists again, like a client does after a compaction of the revision at which its watch ended. */
  async #relist(backend: Backend): Promise<void> {
    try {
      const { revision } = await backend.list(this.#range)
      this.#position = Math.max(this.#position, revision)
    } catch {
      // Nothing to do, because the next watch fails with the same error again.
    }
    if (this.#goal !== undefined && this.#position >= this.#goal) this.#reached?.()
  }

  #told(): Recorder {
    return {
      recordCall: () => undefined,
      recordOutcome: () => undefined,
      recordWatch: (...watchArguments) => this.#recorder.recordWatch(...watchArguments),
      recordItem: (watch, item) => {
        this.#recorder.recordItem(watch, item)
        this.#position = Math.max(this.#position, item.revision)
        if (this.#goal !== undefined && this.#position >= this.#goal) this.#reached?.()
      },
    }
  }
}

export function formatKey(index: number): string {
  return `/registry/things/k${String(index).padStart(4, '0')}`
}
