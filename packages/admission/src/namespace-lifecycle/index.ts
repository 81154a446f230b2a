import { getErrorMessage, newForbidden, newInternal, newNotFound, systemClock } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Namespace } from '@keelson/api/core/v1'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { newForbiddenWrite } from '../forbidden.ts'
import { RecentNames } from '../recent-names.ts'

const namespaces = { group: '', resource: 'namespaces' }
const protectedNamespaces: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])
/**
 * Time in milliseconds after the deletion of a namespace in which the namespace is read from the store, because the informer may be
 * outdated.
 */
const storeReadPeriod = 30_000

/**
 * Creates the plugin NamespaceLifecycle. It rejects writes into missing namespaces, creates in terminating namespaces, and the deletion of
 * the three system namespaces.
 */
export function createNamespaceLifecyclePlugin(dependencies: PluginDependencies): AdmissionPlugin {
  return new NamespaceLifecycle(dependencies)
}

class NamespaceLifecycle implements AdmissionPlugin {
  readonly name = 'NamespaceLifecycle'
  readonly #dependencies: PluginDependencies
  readonly #deleted: RecentNames

  constructor(dependencies: PluginDependencies) {
    this.#dependencies = dependencies
    this.#deleted = new RecentNames({ capacity: 100, ttl: storeReadPeriod, clock: dependencies.clock ?? systemClock })
  }

  admit(attributes: AdmissionAttributes): Promise<void> | void {
    const { operation, kind, name, namespace, resource } = attributes
    if (kind.group === '' && kind.kind === 'Namespace') {
      if (operation !== 'DELETE') return
      if (protectedNamespaces.has(name))
        throw newForbidden({ group: resource.group, resource: resource.resource }, name, 'this namespace may not be deleted')
      this.#deleted.add(name)
      return
    }
    if (namespace === '' || operation === 'DELETE' || isAccessReview(attributes)) return
    const { client, informers } = this.#dependencies
    const served = client.resource<Namespace>(namespaces)
    if (served === undefined) return
    const copy = informers.of<Namespace>(namespaces)?.get('', namespace)
    if (copy !== undefined && !(copy.status?.phase === 'Active' && this.#deleted.has(namespace))) return check(attributes, copy)
    return served.get('', namespace, { resourceVersion: '' }).then(
      (found) => check(attributes, found),
      (error: unknown) => {
        throw newInternal(getErrorMessage(error), { cause: error })
      },
    )
  }

  /** Checks the namespace again just before the write, because it may have been deleted while other plugins waited. */
  validate(attributes: AdmissionAttributes): Promise<void> | void {
    if (attributes.operation === 'CREATE') return this.admit(attributes)
  }
}

function check(attributes: AdmissionAttributes, namespace: DeepReadonly<Namespace> | undefined): void {
  const { operation, namespace: name } = attributes
  if (namespace === undefined) throw newNotFound(namespaces, name)
  if (operation === 'CREATE' && namespace.status?.phase === 'Terminating') {
    throw newForbiddenWrite(attributes, `unable to create new content in namespace ${name} because it is being terminated`, [
      { reason: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' },
    ])
  }
}

/**
 * Returns whether the write is an access review. Access reviews are always admitted, so that they do not reveal whether a namespace exists.
 */
function isAccessReview({ resource }: AdmissionAttributes): boolean {
  return resource.group === 'authorization.k8s.io' && resource.resource === 'localsubjectaccessreviews'
}
