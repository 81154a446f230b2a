import { expect, test } from 'vitest'
import type { TestAPI } from 'vitest'
import type { KeelsonCluster } from './cluster.ts'
import { matchers } from './matchers.ts'
import type { KeelsonMatchers } from './matchers.ts'
import { snapshotSerializer } from './snapshot-serializer.ts'
import { TestClusters } from './test-clusters.ts'
import type { TestClusterOptions } from './test-clusters.ts'

export type { TestClusterOptions } from './test-clusters.ts'

declare module 'vitest' {
  // oxlint-disable-next-line typescript/no-empty-object-type -- Vitest adds the members of this interface to its assertions.
  interface Matchers extends KeelsonMatchers {}
}

expect.extend(matchers)
expect.addSnapshotSerializer(snapshotSerializer)

/** Fixtures of tests. */
export interface ClusterFixtures {
  /** The cluster of the test. It starts with the objects of `baseCluster`. */
  cluster: KeelsonCluster
  /** The cluster from which the tests start. It starts once for each worker. Only `test.beforeAll` should change it. */
  baseCluster: KeelsonCluster
}

/**
 * Creates a `test` function of Vitest with the fixture `cluster`. Importing this module also adds matchers and a serializer for snapshots.
 *
 * @example
 * const test = createTest({ manifests: 'crds' })
 * test('creates a widget', async ({ cluster }) => {
 *   await cluster.resource('configmaps').create({ metadata: { name: 'settings' } })
 * })
 */
export function createTest(options: TestClusterOptions = {}): TestAPI<ClusterFixtures> {
  const clusters = new TestClusters(options)
  return (
    test
      // oxlint-disable-next-line eslint/no-empty-pattern -- Vitest reads the names of the fixtures from the pattern.
      .extend('baseCluster', { scope: 'worker' }, async ({}, { onCleanup }) => {
        onCleanup(() => clusters.close())
        return clusters.openBase()
      })
      .extend('cluster', async ({ baseCluster: _started }, { onCleanup }) => {
        const cluster = await clusters.open()
        onCleanup(() => clusters.release(cluster))
        return cluster
      }) as unknown as TestAPI<ClusterFixtures>
  )
}
