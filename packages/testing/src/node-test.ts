import { after } from 'node:test'
import type { TestContext } from 'node:test'
import type { KeelsonCluster } from './cluster.ts'
import { TestClusters } from './test-clusters.ts'
import type { TestClusterOptions } from './test-clusters.ts'

export type { TestClusterOptions } from './test-clusters.ts'

/**
 * Returns a function that opens a cluster for a test of node:test, and closes it after the test. The cluster from which the tests start is started
 * by the first call, and closed after the tests of the file or suite.
 *
 * @example
 * const openCluster = prepareClusters({ manifests: 'crds' })
 * test('creates a widget', async (t) => {
 *   const cluster = await openCluster(t)
 * })
 */
export function prepareClusters(options: TestClusterOptions = {}): (context: Pick<TestContext, 'after'>) => Promise<KeelsonCluster> {
  const clusters = new TestClusters(options)
  after(() => clusters.close())
  return async (context) => {
    const cluster = await clusters.open()
    context.after(() => clusters.release(cluster))
    return cluster
  }
}
