import { Etcd3, KVClient, LeaseClient, MaintenanceClient, WatchClient, type ICallable, type IOptions } from 'etcd3'
import type { ChannelCredentials, Client, Metadata } from '@grpc/grpc-js'
import { closedError } from './translate-error.ts'
import { startUnaryCall, type UnaryCall, type UnaryMethod } from './unary-call.ts'

type Service = Parameters<ICallable<unknown>['exec']>[0]

export interface CallSettings {
  /** When the call is given up, in milliseconds since the epoch. */
  readonly deadline: number
  readonly signal?: AbortSignal | undefined
}

const passThrough = { execute: (call: () => unknown) => call() } as unknown as NonNullable<NonNullable<IOptions['faultHandling']>['global']>

/** The package's connection to one server, without its retries, its circuit breaker and its reaction to errors, which drops every channel. */
class Connection extends Etcd3 {
  constructor(options: IOptions, credentials: ChannelCredentials | undefined) {
    super({ ...options, faultHandling: { global: passThrough, host: () => passThrough } })
    if (!credentials) return
    // The package makes its own from files alone, and hands them to the channels of a host as these are made.
    for (const host of (this.pool as unknown as { hosts: { channelCredentials: ChannelCredentials }[] }).hosts)
      host.channelCredentials = credentials
  }

  open(service: Service): Promise<{ readonly client: Client; readonly metadata: Metadata }> {
    return this.pool.withConnection(service, ({ client, metadata }) => ({ client, metadata }))
  }
}

/** One etcd server: its typed calls, each done once. Failures are gRPC's own. */
export class Endpoint implements ICallable<unknown> {
  readonly address: string
  readonly kv: KVClient = new KVClient(this)
  readonly leases: LeaseClient = new LeaseClient(this)
  readonly maintenance: MaintenanceClient = new MaintenanceClient(this)
  readonly watches: WatchClient = new WatchClient(this)
  readonly callOptionsFactory = undefined
  readonly #connection: Connection
  readonly #services = new Map<Service, Promise<{ readonly client: Client; readonly metadata: Metadata }>>()
  readonly #calls = new Set<UnaryCall>()
  #closed = false

  /** `credentials` are in the place of those that the options describe. */
  constructor(address: string, options: IOptions, credentials?: ChannelCredentials) {
    this.address = address
    this.#connection = new Connection(options, credentials)
  }

  async exec<T>(service: Service, method: string, request: unknown, options?: Partial<CallSettings>): Promise<T> {
    options?.signal?.throwIfAborted()
    const { client, metadata } = await this.#service(service)
    if (this.#closed) throw closedError()
    const { signal, deadline } = options ?? {}
    return new Promise<T>((resolve, reject) => {
      const cancel = (): void => running.cancel()
      const done = (error: Error | undefined, answer: unknown): void => {
        this.#calls.delete(running)
        signal?.removeEventListener('abort', cancel)
        if (!error) resolve(answer as T)
        else if (signal?.aborted) reject(signal.reason as Error)
        else reject(this.#closed ? closedError() : error)
      }
      const running = startUnaryCall({ client, method: methodOf(client, method), metadata, request, deadline, done })
      this.#calls.add(running)
      signal?.addEventListener('abort', cancel)
    })
  }

  async withConnection<R>(
    service: Service,
    use: (connection: { resource: unknown; client: Client; metadata: Metadata }) => Promise<R> | R,
  ): Promise<R> {
    const { client, metadata } = await this.#service(service)
    if (this.#closed) throw closedError()
    // A member that has lost its leader ends the stream, instead of keeping it silent for ever.
    const own = metadata.clone()
    own.set('hasleader', 'true')
    return use({ resource: undefined, client, metadata: own })
  }

  /** What the package does to a connection whose stream failed. Here the channel mends itself. */
  markFailed(): void {}

  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const call of this.#calls) call.cancel()
    this.#connection.close()
  }

  #service(name: Service): Promise<{ readonly client: Client; readonly metadata: Metadata }> {
    let service = this.#services.get(name)
    if (!service) {
      if (this.#closed) return Promise.reject(closedError())
      service = this.#connection.open(name)
      this.#services.set(name, service)
    }
    return service
  }
}

function methodOf(client: Client, name: string): UnaryMethod {
  return (client as unknown as Record<string, UnaryMethod>)[name]!
}
