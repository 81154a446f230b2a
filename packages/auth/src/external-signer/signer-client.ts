import { Client, credentials, Metadata, status } from '@grpc/grpc-js'
import type { ServiceError } from '@grpc/grpc-js'
import { signerMethods } from './signer-messages.ts'
import type { FetchKeysResponse, MetadataResponse, Method, SignResponse } from './signer-messages.ts'

/** The gRPC calls of an external signer. A failed call rejects with a `SignerCallError`; each call has a timeout. */
export interface SignerClient {
  sign(claims: string): Promise<SignResponse>
  fetchKeys(): Promise<FetchKeysResponse>
  fetchMetadata(): Promise<MetadataResponse>
  close(): void
}

/** A failed gRPC call with the name of its status code, for example "Unavailable". */
export class SignerCallError extends Error {
  override readonly name = 'SignerCallError'
  readonly code: string

  constructor({ code, details }: ServiceError) {
    const text = (status[code] ?? 'UNKNOWN').toLowerCase()
    const goName = text.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())
    super(`rpc error: code = ${goName} desc = ${details}`)
    this.code = goName
  }
}

const callMs = 60_000
const metadataMs = 10_000

/**
 * Creates a client for a Unix socket: `/path`, or `@name` for an abstract socket. The client connects on first use and reconnects after a
 * lost connection.
 */
export function createSignerClient(socket: string): SignerClient {
  const target = socket.startsWith('@') ? `unix-abstract:${socket.slice(1)}` : `unix:${socket}`
  const client = new Client(target, credentials.createInsecure(), {
    'grpc.default_authority': 'localhost',
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 5000,
    // By default, channels with the same address and options share a connection, and closing one would close the others.
    'grpc.use_local_subchannel_pool': 1,
  })

  function call<Q, A>({ path, request, response }: Method<Q, A>, message: Q, timeoutMs = callMs): Promise<A> {
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest<Q, A>(
        path,
        request.encode,
        response.decode,
        message,
        new Metadata({ waitForReady: true }),
        { deadline: Date.now() + timeoutMs },
        (error, answer) => {
          if (error) reject(new SignerCallError(error))
          else resolve(answer!)
        },
      )
    })
  }

  return {
    sign: (claims) => call(signerMethods.sign, { claims }),
    fetchKeys: () => call(signerMethods.fetchKeys, {}),
    fetchMetadata: () => call(signerMethods.metadata, {}, metadataMs),
    close: () => client.close(),
  }
}
