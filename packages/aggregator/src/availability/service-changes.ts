import type { Clock, GroupResource } from '@keelson/apimachinery'
import { followResource } from '@keelson/loopback'
import type { LoopbackClient, ObjectChange } from '@keelson/loopback'
import { serviceNameLabel } from './check-service.ts'

export interface ServiceChangesOptions {
  readonly client: LoopbackClient
  readonly clock: Clock
  /** Called when any service may have changed: before the first change, and after changes were missed. */
  readonly onReplace: () => void
  /** Called for each change of a service or its endpoint slices. */
  readonly onChange: (namespace: string, name: string) => void
  readonly onError: (error: unknown) => void
}

/**
 * Follows services and their endpoint slices. Decodes and keeps none of them. Runs only while it is needed, because most servers forward no
 * requests.
 */
export class ServiceChanges implements AsyncDisposable {
  readonly #options: ServiceChangesOptions
  #stop: AbortController | undefined
  #running: Promise<unknown> = Promise.resolve()

  constructor(options: ServiceChangesOptions) {
    this.#options = options
  }

  /** Starts or stops following the objects. */
  set isNeeded(isNeeded: boolean) {
    if (isNeeded === (this.#stop !== undefined)) return
    this.#stop?.abort()
    this.#stop = isNeeded ? new AbortController() : undefined
    if (this.#stop === undefined) return
    this.#running = Promise.all([
      this.#running,
      this.#follow({ group: '', resource: 'services' }, (change) => change.object.field('metadata.name'), this.#stop.signal),
      this.#follow(
        { group: 'discovery.k8s.io', resource: 'endpointslices' },
        (change) => change.object.labels?.[serviceNameLabel] ?? '',
        this.#stop.signal,
      ),
    ])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isNeeded = false
    await this.#running
  }

  async #follow(resource: GroupResource, readName: (change: ObjectChange<never>) => string, signal: AbortSignal): Promise<void> {
    const { client, clock, onReplace, onChange, onError } = this.#options
    const served = client.resource<never>(resource)
    if (served === undefined) return
    // The initial objects cause no checks, because each APIService is checked when it is added, and every 30 seconds.
    const sink = {
      replace: onReplace,
      apply: (change: ObjectChange<never>) => {
        const name = readName(change)
        if (name !== '') onChange(change.object.field('metadata.namespace'), name)
      },
    }
    await followResource(served, sink, { clock, signal, onError })
  }
}
