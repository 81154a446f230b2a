import { TestEnvironment } from 'jest-environment-node'
import type { KeelsonCluster } from './cluster.ts'
import { matchers } from './matchers.ts'
import { snapshotSerializer } from './snapshot-serializer.ts'
import { TestClusters } from './test-clusters.ts'
import type { TestClusterOptions } from './test-clusters.ts'

type EnvironmentParameters = ConstructorParameters<typeof TestEnvironment>

/** Globals of a test file. */
interface TestGlobals {
  cluster?: KeelsonCluster
  expect?: { extend(added: typeof matchers): void; addSnapshotSerializer(serializer: typeof snapshotSerializer): void }
}

/**
 * An environment of Jest with the global `cluster`. In tests and their hooks it is the cluster of the test; in `beforeAll` it is the cluster from
 * which the tests start. The server runs outside the sandbox of the test, so tests may be CommonJS. Options are in `testEnvironmentOptions.keelson`.
 */
export default class KeelsonEnvironment extends TestEnvironment {
  readonly #clusters: TestClusters
  #current: KeelsonCluster | undefined

  constructor(config: EnvironmentParameters[0], context: EnvironmentParameters[1]) {
    super(config, context)
    const { keelson = {} } = config.projectConfig.testEnvironmentOptions as { keelson?: TestClusterOptions }
    this.#clusters = new TestClusters(keelson)
  }

  get #globals(): TestGlobals {
    return this.global as TestGlobals
  }

  override async setup(): Promise<void> {
    await super.setup()
    this.#globals.cluster = await this.#clusters.openBase()
  }

  /** Called by jest-circus for each step of a test run, which waits for it. */
  async handleTestEvent({ name }: { readonly name: string }): Promise<void> {
    if (name === 'run_start') {
      this.#globals.expect?.extend(matchers)
      this.#globals.expect?.addSnapshotSerializer(snapshotSerializer)
    }
    if (name === 'test_started' || name === 'test_retry') {
      await this.#releaseCurrent()
      this.#current = this.#globals.cluster = await this.#clusters.open()
    }
    if (name === 'test_done') await this.#releaseCurrent()
  }

  override async teardown(): Promise<void> {
    await this.#releaseCurrent()
    await this.#clusters.close()
    await super.teardown()
  }

  async #releaseCurrent(): Promise<void> {
    const current = this.#current
    this.#current = undefined
    this.#globals.cluster = await this.#clusters.openBase()
    if (current !== undefined) await this.#clusters.release(current)
  }
}
