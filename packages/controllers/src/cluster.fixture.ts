import { createConstantAuthorizer } from '@keelson/auth'
import { createBuiltinPlugins, createAdmissionChain } from '@keelson/admission'
import type { Clock, KubeObject } from '@keelson/apimachinery'
import { openMemory } from '@keelson/backend-embedded'
import { createLoopbackClient, createSharedInformers } from '@keelson/loopback'
import type { LoopbackClientBuilder, LoopbackResource } from '@keelson/loopback'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { openTestStore } from '@keelson/registry/testing'
import type { Namespace } from './controller.ts'

interface Pod extends KubeObject {
  spec?: { nodeName?: string; terminationGracePeriodSeconds?: number }
}
interface ConfigMap extends KubeObject {
  data?: Record<string, string>
}

const core = { group: '', version: 'v1' }
const namespaces = defineResource<Namespace>({
  ...core,
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
  returnsDeletedObject: true,
  withoutVerbs: ['deletecollection'],
  strategy: {
    prepareForCreate(_context, namespace) {
      namespace.status = { phase: 'Active' }
      namespace.spec = { finalizers: ['kubernetes'] }
    },
    prepareForUpdate(_context, namespace, old) {
      Object.assign(namespace, { spec: structuredClone(old.spec), status: structuredClone(old.status) })
    },
  },
  subresources: {
    status: {
      update: { prepareForUpdate: (_context, namespace, old) => void Object.assign(namespace, { spec: structuredClone(old.spec) }) },
    },
    finalize: {
      get: false,
      update: { prepareForUpdate: (_context, namespace, old) => void Object.assign(namespace, { status: structuredClone(old.status) }) },
    },
  },
  deletion: {
    beginDelete: (namespace) => void (namespace.status = { ...namespace.status, phase: 'Terminating' }),
    isReadyToRemove: (namespace) => (namespace.spec?.finalizers ?? []).length === 0,
  },
})
const pods = defineResource<Pod>({
  ...core,
  kind: 'Pod',
  plural: 'pods',
  scope: 'Namespaced',
  returnsDeletedObject: true,
  strategy: {
    checkGracefulDelete(_context, pod, options) {
      options.gracePeriodSeconds ??= pod.spec?.terminationGracePeriodSeconds ?? 30
      if ((pod.spec?.nodeName ?? '') === '') options.gracePeriodSeconds = 0
      return true
    },
  },
})
const createSimpleDefinition = (kind: string, plural: string, scope: 'Namespaced' | 'Cluster' = 'Namespaced'): ResourceDefinition =>
  defineResource({ ...core, kind, plural, scope, strategy: {} })

export interface Cluster extends AsyncDisposable {
  readonly client: LoopbackClientBuilder
  readonly namespaces: LoopbackResource<Namespace>
  readonly pods: LoopbackResource<Pod>
  readonly configMaps: LoopbackResource<ConfigMap>
  readonly serviceAccounts: LoopbackResource
  readonly nodes: LoopbackResource
}

/** Opens an in-memory store with the core resources that controllers use. Writes pass the admission plugin NamespaceLifecycle. */
export async function openCluster(clock: Clock): Promise<Cluster> {
  const backend = openMemory()
  const client = createLoopbackClient({ getAdmission: () => admission })
  const definitions = [
    namespaces as unknown as ResourceDefinition,
    pods as unknown as ResourceDefinition,
    createSimpleDefinition('ConfigMap', 'configmaps'),
    createSimpleDefinition('ServiceAccount', 'serviceaccounts'),
    createSimpleDefinition('Node', 'nodes', 'Cluster'),
  ]
  const stores = definitions.map((definition) => {
    const test = openTestStore(definition, { backend, now: () => clock.now() })
    client.add(core, test.paths)
    return test
  })
  const informers = createSharedInformers(client)
  const authorizer = createConstantAuthorizer({ decision: 'allow', reason: '' })
  const plugins = await createBuiltinPlugins().create({ client, informers, authorizer }, { disable: ['ServiceAccount'] })
  const admission = createAdmissionChain(plugins)
  const requireResource = <T extends KubeObject>(plural: string): LoopbackResource<T> =>
    client.resource<T>({ group: '', resource: plural })!
  return {
    client,
    namespaces: requireResource('namespaces'),
    pods: requireResource('pods'),
    configMaps: requireResource('configmaps'),
    serviceAccounts: requireResource('serviceaccounts'),
    nodes: requireResource('nodes'),
    async [Symbol.asyncDispose]() {
      await admission[Symbol.asyncDispose]()
      await informers[Symbol.asyncDispose]()
      for (const store of stores) await store[Symbol.asyncDispose]()
      await backend[Symbol.asyncDispose]()
    },
  }
}
