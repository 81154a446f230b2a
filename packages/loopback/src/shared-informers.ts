import type { GroupResource, KubeObject } from '@keelson/apimachinery'
import type { Informer, LoopbackClient } from './client.ts'
import { createInformer } from './create-informer.ts'
import type { InformerOptions } from './create-informer.ts'
import { ResourceMap } from './resource-map.ts'

/** One informer per resource, shared by all readers and started on first use. Disposing stops all of them. */
export interface SharedInformers extends AsyncDisposable {
  /** undefined if the server does not serve the resource. Callers must not dispose the informer. */
  of<T extends KubeObject = KubeObject>(resource: GroupResource): Informer<T> | undefined
  /** Stops the informer of a resource that is no longer served. Resolves when it has ended. */
  remove(resource: GroupResource): Promise<void>
}

export function createSharedInformers(
  client: LoopbackClient,
  options: Omit<InformerOptions, 'namespace' | 'predicate'> = {},
): SharedInformers {
  const started = new ResourceMap<Informer<KubeObject>>()
  return {
    of<T extends KubeObject>(resource: GroupResource) {
      const served = client.resource(resource)
      if (served === undefined) return undefined
      let informer = started.get(resource)
      if (informer === undefined) started.set(resource, (informer = createInformer(served, options)))
      return informer as unknown as Informer<T>
    },
    async remove(resource) {
      const informer = started.get(resource)
      started.delete(resource)
      await informer?.[Symbol.asyncDispose]()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(Array.from(started.values(), (informer) => informer[Symbol.asyncDispose]()))
    },
  }
}
