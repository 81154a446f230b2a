import { newForbidden, newInternal, newNotFound, systemClock } from '@keelson/apimachinery'
import type { Clock, DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { createInformer } from '@keelson/loopback'
import type { Informer, LoopbackResource } from '@keelson/loopback'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { forbidden } from '../forbidden.ts'
import { RecentNames } from './recent-names.ts'

interface Namespace extends KubeObject {
  status?: { phase?: string }
}

const namespaces = { group: '', resource: 'namespaces' }
const immortal: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])
/** For so long after its deletion a namespace is read from the store: the copy here may not have heard of it. */
const distrustFor = 30_000

/** Nothing is written into a namespace that is not there, nothing new into one that goes away, and three namespaces stay. */
export function namespaceLifecycle(dependencies: PluginDependencies): AdmissionPlugin & AsyncDisposable {
  return new NamespaceLifecycle(dependencies)
}

class NamespaceLifecycle implements AdmissionPlugin, AsyncDisposable {
  readonly name = 'NamespaceLifecycle'
  readonly #dependencies: PluginDependencies
  readonly #clock: Clock
  readonly #deleted: RecentNames
  #informer: Informer<Namespace> | undefined

  constructor(dependencies: PluginDependencies) {
    this.#dependencies = dependencies
    this.#clock = dependencies.clock ?? systemClock
    this.#deleted = new RecentNames({ capacity: 100, ttl: distrustFor, clock: this.#clock })
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    const { operation, kind, name, namespace, resource } = attributes
    if (kind.group === '' && kind.kind === 'Namespace') {
      if (operation !== 'DELETE') return
      if (immortal.has(name))
        throw newForbidden({ group: resource.group, resource: resource.resource }, name, 'this namespace may not be deleted')
      this.#deleted.add(name)
      return
    }
    if (namespace === '' || operation === 'DELETE' || isAccessReview(attributes)) return
    const found = await this.#find(namespace)
    if (found === 'unserved') return
    if (found === undefined) throw newNotFound(namespaces, namespace)
    if (operation === 'CREATE' && found.status?.phase === 'Terminating') {
      throw forbidden(attributes, `unable to create new content in namespace ${namespace} because it is being terminated`, [
        { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
      ])
    }
  }

  /** Once more, just before the write: the namespace may have gone while other plugins took their time. */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (attributes.operation === 'CREATE') await this.admit(attributes)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informer?.[Symbol.asyncDispose]()
  }

  /** From the copy here where it can be believed, else from the store. */
  async #find(name: string): Promise<DeepReadonly<Namespace> | undefined | 'unserved'> {
    const resource = this.#dependencies.client.resource<Namespace>(namespaces)
    if (resource === undefined) return 'unserved'
    const copy = this.#copies(resource).get('', name)
    if (copy !== undefined && !(this.#deleted.has(name) && copy.status?.phase === 'Active')) return copy
    try {
      return await resource.get('', name, { resourceVersion: '' })
    } catch (error) {
      throw newInternal(error instanceof Error ? error.message : String(error), { cause: error })
    }
  }

  #copies(resource: LoopbackResource<Namespace>): Informer<Namespace> {
    const { onError } = this.#dependencies
    this.#informer ??= createInformer(resource, { clock: this.#clock, ...(onError === undefined ? undefined : { onError }) })
    return this.#informer
  }
}

/** Saying whether the namespace is there would tell more than who asks may know. */
function isAccessReview({ resource }: AdmissionAttributes): boolean {
  return resource.group === 'authorization.k8s.io' && resource.resource === 'localsubjectaccessreviews'
}
