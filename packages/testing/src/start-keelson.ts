import { KeelsonCluster } from './cluster.ts'
import type { ClusterOptions } from './cluster-options.ts'
import { openPreparedStore } from './prepared-stores.ts'

/**
 * Starts a Kubernetes API server in this process, in memory and without a port. Close it with `await using` or `close()`.
 *
 * @example
 * await using cluster = await startKeelson({ manifests: 'crds/*.yaml' })
 * await cluster.resource('configmaps').create({ metadata: { name: 'settings' } })
 */
export function startKeelson(options: ClusterOptions = {}): Promise<KeelsonCluster> {
  return KeelsonCluster.start(openPreparedStore(options), options)
}
