import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import { TimeSlice } from '@keelson/apimachinery'
import type { Clock, DeepReadonly } from '@keelson/apimachinery'
import { followResource } from '@keelson/loopback'
import type { LoopbackResource, ObjectChange } from '@keelson/loopback'
import type { StoredObject } from '@keelson/storagebackend'
import type { FollowedDefinition } from './custom-resources.ts'
import { readOutline } from './outline.ts'

/** A change of a definition in the index. `old` is absent for a new definition, `definition` for a deleted one. */
export interface DefinitionChange {
  readonly name: string
  readonly definition: FollowedDefinition | undefined
  readonly old: FollowedDefinition | undefined
}

export interface DefinitionIndexOptions {
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

/**
 * All definitions of the store, by name and by group. Follows their changes by a watch. It keeps stored bytes, which the watch cache has
 * anyway, and outlines. An informer would keep every schema decoded.
 */
export class DefinitionIndex implements AsyncDisposable {
  /**
   * Resolves to true when all definitions that existed at the start are in the index, and the handlers have been called for each. Resolves
   * to false if the index is disposed before.
   */
  readonly synced: Promise<boolean>
  readonly #definitions = new Map<string, FollowedDefinition>()
  readonly #groups = new Map<string, Set<string>>()
  readonly #handlers: ((change: DefinitionChange) => void)[] = []
  readonly #options: DefinitionIndexOptions
  readonly #stop = new AbortController()
  #markSynced: (synced: boolean) => void = () => {}
  #done: Promise<void> | undefined

  constructor(options: DefinitionIndexOptions) {
    this.#options = options
    this.synced = new Promise((resolve) => (this.#markSynced = resolve))
  }

  /** Adds a handler of changes. Handlers are called in the order in which they were added. */
  subscribe(handler: (change: DefinitionChange) => void): void {
    this.#handlers.push(handler)
  }

  /** Starts to follow the definitions, after the handlers have been added. */
  follow(resource: LoopbackResource<CustomResourceDefinition>): void {
    const sink = {
      replace: async (objects: readonly StoredObject<CustomResourceDefinition>[]) => {
        await this.#replace(objects)
        this.#markSynced(!this.#stop.signal.aborted)
      },
      apply: ({ type, object }: ObjectChange<CustomResourceDefinition>) => {
        if (type === 'DELETED') this.#remove(object.field('metadata.name'))
        else this.#put(object)
      },
    }
    this.#done = followResource(resource, sink, { ...this.#options, signal: this.#stop.signal })
  }

  get(name: string): FollowedDefinition | undefined {
    return this.#definitions.get(name)
  }

  /** Iterates over the outlines of the definitions of a group. */
  *ofGroup(group: string): Generator<DeepReadonly<CustomResourceDefinition>> {
    for (const name of this.#groups.get(group) ?? []) yield this.#definitions.get(name)!.outline
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#markSynced(false)
    await this.#done
  }

  /** Takes over the complete state. Pauses between definitions, so that thousands of them do not hold up requests. */
  async #replace(objects: readonly StoredObject<CustomResourceDefinition>[]): Promise<void> {
    const gone = new Set(this.#definitions.keys())
    const slice = new TimeSlice()
    for (const stored of objects) {
      const name = stored.field('metadata.name')
      gone.delete(name)
      if (this.#definitions.get(name)?.stored.revision !== stored.revision) this.#put(stored)
      const pause = slice.pauseIfOver()
      if (pause) await pause
      if (this.#stop.signal.aborted) return
    }
    for (const name of gone) this.#remove(name)
  }

  #put(stored: StoredObject<CustomResourceDefinition>): void {
    let outline: DeepReadonly<CustomResourceDefinition>
    try {
      outline = readOutline(stored)
    } catch (error) {
      this.#options.onError(error)
      return
    }
    const name = stored.field('metadata.name')
    const old = this.#definitions.get(name)
    const definition = { outline, stored }
    this.#definitions.set(name, definition)
    if (old?.outline.spec.group !== outline.spec.group) {
      if (old !== undefined) this.#leaveGroup(name, old)
      this.#getGroup(outline.spec.group).add(name)
    }
    this.#notify({ name, definition, old })
  }

  #remove(name: string): void {
    const old = this.#definitions.get(name)
    if (old === undefined) return
    this.#definitions.delete(name)
    this.#leaveGroup(name, old)
    this.#notify({ name, definition: undefined, old })
  }

  #getGroup(group: string): Set<string> {
    let names = this.#groups.get(group)
    if (names === undefined) this.#groups.set(group, (names = new Set()))
    return names
  }

  #leaveGroup(name: string, { outline }: FollowedDefinition): void {
    const names = this.#groups.get(outline.spec.group)
    names?.delete(name)
    if (names?.size === 0) this.#groups.delete(outline.spec.group)
  }

  #notify(change: DefinitionChange): void {
    for (const handler of this.#handlers) {
      try {
        handler(change)
      } catch (error) {
        this.#options.onError(error)
      }
    }
  }
}
