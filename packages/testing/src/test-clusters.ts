import type { KeelsonCluster } from './cluster.ts'
import type { ClusterOptions } from './cluster-options.ts'
import { startKeelson } from './start-keelson.ts'

/** Options of the clusters of a test file. */
export interface TestClusterOptions extends ClusterOptions {
  /**
   * "fork" gives each test a cluster of its own, so tests may run concurrently. "reset" is faster: tests use one cluster, which is reset before
   * each test, together with its faults and its request log. Default: "fork".
   */
  readonly isolation?: 'fork' | 'reset'
}

/** The clusters of a test file: a base that starts once, and one cluster for each test with the objects of the base. */
export class TestClusters {
  readonly #options: TestClusterOptions
  #base: Promise<KeelsonCluster> | undefined

  constructor(options: TestClusterOptions) {
    this.#options = options
  }

  /** Starts the base on the first call. With "fork", later changes to it are visible in the clusters of later tests. */
  openBase(): Promise<KeelsonCluster> {
    const { isolation: _isolation, ...options } = this.#options
    return (this.#base ??= startKeelson(options))
  }

  /** Returns a cluster for one test. */
  async open(): Promise<KeelsonCluster> {
    const base = await this.openBase()
    if (this.#options.isolation !== 'reset') return base.fork()
    await base.reset()
    base.faults.clear()
    base.requests.clear()
    return base
  }

  /** Closes the cluster of a test. */
  async release(cluster: KeelsonCluster): Promise<void> {
    if (cluster !== (await this.#base)) await cluster.close()
  }

  /** Closes the base. */
  async close(): Promise<void> {
    await (await this.#base)?.close()
  }
}
