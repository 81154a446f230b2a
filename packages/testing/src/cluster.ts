import { mastersGroup } from '@keelson/apimachinery'
import type { StoreImage } from '@keelson/backend-embedded'
import { ClusterClient } from './cluster-client.ts'
import type { ClusterClock } from './cluster-clock.ts'
import { ClusterHost } from './cluster-host.ts'
import type { ClusterOptions } from './cluster-options.ts'
import type { Faults } from './faults.ts'
import { keepPreparedStore } from './prepared-stores.ts'
import type { PreparedStore } from './prepared-stores.ts'
import type { RequestLog } from './request-log.ts'
import { replayRequests } from './request-recording.ts'
import type { ReplayedRequest, RequestRecording } from './request-recording.ts'

const administrator = { name: 'kubernetes-admin', groups: [mastersGroup] }

/** All objects of a cluster at one moment. Taking it needs no longer for more objects, except those with a time to live, such as events. */
export interface ClusterSnapshot {
  /** Contents of the store. */
  readonly image: StoreImage
}

/** A Kubernetes API server inside this process. Its own methods act as an administrator. */
export class KeelsonCluster extends ClusterClient implements AsyncDisposable {
  readonly #host: ClusterHost
  readonly #options: ClusterOptions
  /** The state to which `reset` returns. */
  readonly #start: ClusterSnapshot

  /** Starts a server on a store, which the cluster closes. `origin` is the state of the store if it is a fork. */
  static async start(prepared: PreparedStore, options: ClusterOptions, origin?: ClusterSnapshot): Promise<KeelsonCluster> {
    const host = await ClusterHost.start(prepared, options)
    try {
      keepPreparedStore(host.store, options)
      if (options.listen === true) await host.listen()
      const { kinds = [], manifests = [] } = options
      await new ClusterClient(host, administrator).apply([...kinds.map(({ definition }) => definition), manifests])
      if (origin === undefined) await host.waitUntilIdle()
      return new KeelsonCluster(host, options, origin)
    } catch (error) {
      await host.close()
      throw error
    }
  }

  private constructor(host: ClusterHost, options: ClusterOptions, origin?: ClusterSnapshot) {
    super(host, administrator)
    this.#host = host
    this.#options = options
    this.#start = origin ?? this.snapshot()
  }

  /** URL of the server. Undefined until `listen` or `kubeconfig` was called. */
  get url(): string | undefined {
    return this.#host.url
  }

  /** The time of the cluster, which `advance` moves. A fork starts with the same time. `reset` and `restore` do not turn it back. */
  get clock(): ClusterClock {
    return this.#host.clock
  }

  /** Faults on command for requests of clients. */
  get faults(): Faults {
    return this.#host.faults
  }

  /** The requests of clients. */
  get requests(): RequestLog {
    return this.#host.requests
  }

  /** Opens a port of 127.0.0.1, if it is not open yet. Returns the URL of the server. */
  listen(): Promise<string> {
    return this.#host.listen()
  }

  /**
   * Starts a cluster with the same objects and options. It shares the memory of all objects until they change. Later changes of one cluster are
   * not visible in the other.
   *
   * @example
   * await using copy = await cluster.fork()
   */
  async fork(): Promise<KeelsonCluster> {
    const { manifests: _applied, ...options } = this.#options
    const isSettled = await this.#host.isIdle()
    const clock = this.#host.clock.fork()
    const store = this.#host.store.fork({ clock })
    return KeelsonCluster.start({ store, clock, hasBootstrapObjects: true, isSettled }, options, { image: store.image() })
  }

  /** Returns the current state of all objects, for `restore`. */
  snapshot(): ClusterSnapshot {
    return { image: this.#host.store.image() }
  }

  /**
   * Replaces all objects by those of a snapshot, also of another cluster. Restored objects keep their uids and get a new resource version. Watches
   * stay open and see the changes, and the port stays open. Takes time for the objects that differ only.
   */
  restore({ image }: ClusterSnapshot): Promise<void> {
    return this.#host.restore(image)
  }

  /**
   * Restores the state after the start, with the manifests of the options. For a fork, that is the state of its origin at that time.
   *
   * @example
   * afterEach(() => cluster.reset())
   */
  reset(): Promise<void> {
    return this.restore(this.#start)
  }

  /**
   * Stops the server and starts it with the same objects, port and tokens. Connections and watches end, and requests fail until the promise
   * resolves.
   */
  restart(): Promise<void> {
    return this.#host.restart()
  }

  /** Sends recorded requests one after the other, as their users. Faults do not hit them, and they are not logged. */
  replay(recording: RequestRecording): Promise<readonly ReplayedRequest[]> {
    return replayRequests(this.#host.chain, recording)
  }

  /** Ends all requests and watches, stops the server, and frees its memory. */
  close(): Promise<void> {
    return this.#host.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
