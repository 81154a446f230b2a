import { pause, systemClock } from '@keelson/apimachinery'
import type { CustomResources, FollowedDefinition, Instances } from '../controllers/custom-resources.ts'
import { createInstances } from './instances.ts'
import { ServedDefinition } from './served-definition.ts'
import type { ServedDefinitionOptions } from './served-definition.ts'

export interface CustomResourceHostOptions extends ServedDefinitionOptions {
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number
  /** Called for a definition that cannot be served, for example because a built-in resource has its kind. */
  readonly onError: (definition: string, error: unknown) => void
}

/** Time in milliseconds between the end of the routes of a definition and the end of its watches, as in kube-apiserver. */
const drainTime = 1000

/** Serves custom resources, and stops serving them when it is disposed. */
export interface CustomResourceHost extends CustomResources, AsyncDisposable {}

/** Creates the host of custom resources. */
export function createCustomResourceHost(options: CustomResourceHostOptions): CustomResourceHost {
  return new Host(options)
}

class Host implements CustomResourceHost {
  readonly #options: CustomResourceHostOptions
  readonly #served = new Map<string, ServedDefinition>()
  /** Definitions that are being closed. */
  readonly #closing = new Set<Promise<void>>()
  readonly #stop = new AbortController()

  constructor(options: CustomResourceHostOptions) {
    this.#options = options
  }

  install(followed: FollowedDefinition): void {
    const { name = '' } = followed.outline.metadata
    const before = this.#served.get(name)
    if (before?.takesOver(followed) === true) return
    // No await between these steps, so each request finds either the old or the new routes.
    this.remove(name)
    try {
      const served = new ServedDefinition(followed, this.#options)
      this.#served.set(name, served)
      served.install()
    } catch (error) {
      this.remove(name)
      this.#options.onError(name, error)
    }
  }

  remove(name: string): void {
    const served = this.#served.get(name)
    if (served === undefined) return
    this.#served.delete(name)
    const drained = pause(systemClock, drainTime, { signal: this.#stop.signal })
    const closing = served.close(drained).catch((error: unknown) => this.#options.onError(name, error))
    this.#closing.add(closing)
    void closing.then(() => this.#closing.delete(closing))
  }

  instances(name: string): Instances | undefined {
    const served = this.#served.get(name)
    return served && createInstances(served, this.#options.now)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    for (const name of this.#served.keys()) this.remove(name)
    await Promise.all(this.#closing)
  }
}
