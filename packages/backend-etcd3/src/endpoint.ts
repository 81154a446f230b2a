// etcd3 provides clients of etcd's services over @grpc/grpc-js. Watches use its streams. Leases and maintenance use its typed methods. All unary
// calls are sent through Http2Channel.
import { Etcd3, KVClient, LeaseClient, MaintenanceClient, type ICallable, type IOptions, type IWatchRequest } from 'etcd3'
import type { ChannelCredentials, Client, ClientDuplexStream, Metadata } from '@grpc/grpc-js'
import type { Span } from '@keelson/apimachinery'
import { recordEnd, startGrpcCall } from './grpc-call-span.ts'
import type { Http2Channel } from './http2-channel.ts'
import { newClosedError } from './translate-error.ts'
import { UnaryCall, type UnaryMethod } from './unary-call.ts'
import { readWatchResponse, type WatchResponse } from './watch-response.ts'

type Service = Parameters<ICallable<unknown>['exec']>[0]

export interface CallSettings {
  /** Deadline of the call in milliseconds since 1970. */
  readonly deadline: number
  readonly signal?: AbortSignal | undefined
  /** Step of a recorded request that the call belongs to. Its trace context is sent. */
  readonly span?: Span | undefined
}

const passThrough = { execute: (call: () => unknown) => call() } as unknown as NonNullable<NonNullable<IOptions['faultHandling']>['global']>

/**
 * etcd3's connection to one server. Its retries, its circuit breaker and its error handling are disabled. That error handling would close every
 * channel.
 */
class Connection extends Etcd3 {
  constructor(options: IOptions, credentials: ChannelCredentials | undefined) {
    super({ ...options, faultHandling: { global: passThrough, host: () => passThrough } })
    if (!credentials) return
    // Sets the credentials directly, because etcd3 can only read them from files.
    for (const host of (this.pool as unknown as { hosts: { channelCredentials: ChannelCredentials }[] }).hosts)
      host.channelCredentials = credentials
  }

  open(service: Service): Promise<{ readonly client: Client; readonly metadata: Metadata }> {
    return this.pool.withConnection(service, ({ client, metadata }) => ({ client, metadata }))
  }
}

/** Settings of the connections to one server. Streams use etcd3's connection, unary calls use `channel`. */
export interface EndpointOptions {
  readonly address: string
  readonly options: IOptions
  /** Credentials that replace those in `options`. */
  readonly credentials?: ChannelCredentials | undefined
  readonly channel: Http2Channel
}

/** One etcd server. Sends each typed call once, without retries. Throws plain gRPC errors. */
export class Endpoint implements ICallable<unknown> {
  readonly address: string
  readonly kv: KVClient = new KVClient(this)
  readonly leases: LeaseClient = new LeaseClient(this)
  readonly maintenance: MaintenanceClient = new MaintenanceClient(this)
  readonly callOptionsFactory = undefined
  readonly #connection: Connection
  readonly #channel: Http2Channel
  readonly #methods = new Map<string, UnaryMethod<unknown, unknown>>()
  readonly #calls = new Set<{ cancel(): void }>()
  #closed = false

  constructor({ address, options, credentials, channel }: EndpointOptions) {
    this.address = address
    this.#connection = new Connection(options, credentials)
    this.#channel = channel
  }

  async exec<T>(service: Service, name: string, request: unknown, options?: Partial<CallSettings>): Promise<T> {
    const method = this.#methods.get(name) ?? (await this.#loadMethod(service, name))
    return this.call(method as UnaryMethod<unknown, T>, request, options)
  }

  /** Sends a call like `exec`, but with a custom encoding of the messages. */
  async call<Q, T>(method: UnaryMethod<Q, T>, request: Q, options?: Partial<CallSettings>): Promise<T> {
    const { signal, deadline, span } = options ?? {}
    signal?.throwIfAborted()
    if (this.#closed) throw newClosedError()
    return new Promise<T>((resolve, reject) => {
      const cancel = (): void => call.cancel()
      const settle = (error: Error | undefined, answer: T | undefined): void => {
        this.#calls.delete(call)
        signal?.removeEventListener('abort', cancel)
        if (!error) resolve(answer as T)
        else if (signal?.aborted) reject(signal.reason as Error)
        else reject(this.#closed ? newClosedError() : error)
      }
      const recorded = span && startGrpcCall(span, method.path, this.#channel.authority)
      const done = recorded === undefined ? settle : recordEnd(recorded, settle)
      const call = new UnaryCall({ channel: this.#channel, method, request, deadline, recorded, done })
      this.#calls.add(call)
      signal?.addEventListener('abort', cancel)
      call.start()
    })
  }

  async withConnection<R>(
    service: Service,
    use: (connection: { resource: unknown; client: Client; metadata: Metadata }) => Promise<R> | R,
  ): Promise<R> {
    if (this.#closed) throw newClosedError()
    const { client, metadata } = await this.#connection.open(service)
    if (this.#closed) throw newClosedError()
    // Makes etcd end the stream if the member has no leader. Otherwise, the stream would stay open without events.
    const leaderMetadata = metadata.clone()
    leaderMetadata.set('hasleader', 'true')
    return use({ resource: undefined, client, metadata: leaderMetadata })
  }

  openWatch(): Promise<ClientDuplexStream<IWatchRequest, WatchResponse>> {
    return this.withConnection('Watch', ({ client, metadata }) => {
      const { path, requestSerialize } = getMethod(client, 'watch')
      return client.makeBidiStreamRequest(path, requestSerialize, readWatchResponse, metadata)
    })
  }

  /** Does nothing. etcd3 calls it to close the connection of a failed stream, but the channel of this endpoint reconnects on its own. */
  markFailed(): void {}

  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const call of this.#calls) call.cancel()
    this.#channel.close()
    this.#connection.close()
  }

  async #loadMethod(service: Service, name: string): Promise<UnaryMethod<unknown, unknown>> {
    if (this.#closed) throw newClosedError()
    const { client } = await this.#connection.open(service)
    const method = getMethod(client, name)
    this.#methods.set(name, method)
    return method
  }
}

/** Returns the path and the serializers of a method. etcd3's clients store them as properties of the method's function. */
function getMethod(client: Client, name: string): UnaryMethod<unknown, unknown> {
  return (client as unknown as Record<string, UnaryMethod<unknown, unknown>>)[name]!
}
