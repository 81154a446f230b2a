import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { kmsMethods } from './kms-messages.ts'
import type { DecryptRequest, EncryptResponse, Method, StatusResponse } from './kms-messages.ts'

/** The calls of a KMS plugin (KMS v2). A call rejects with the plugin's error, or when the timeout expires. */
export interface KmsService {
  getStatus(): Promise<StatusResponse>
  encrypt(uid: string, plaintext: Uint8Array): Promise<EncryptResponse>
  decrypt(request: DecryptRequest): Promise<Uint8Array>
  close(): void
}

export interface KmsClientOptions {
  /** Address of the plugin: unix:///path, or unix:///@name for an abstract Unix socket. */
  readonly endpoint: string
  readonly timeoutMs: number
}

/**
 * Creates a gRPC client of a KMS plugin. It connects on the first call. A call waits for the plugin until the timeout. The client reconnects when
 * the connection is lost.
 */
export function createKmsClient({ endpoint, timeoutMs }: KmsClientOptions): KmsService {
  const client = new Client(formatSocketTarget(endpoint), credentials.createInsecure(), {
    'grpc.default_authority': 'localhost',
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 5000,
    // Without this option, channels with the same address and options share a connection, and closing one channel would close the others.
    'grpc.use_local_subchannel_pool': 1,
  })

  function call<Q, A>({ path, request, response }: Method<Q, A>, message: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest<Q, A>(
        path,
        request.encode,
        response.decode,
        message,
        new Metadata({ waitForReady: true }),
        { deadline: Date.now() + timeoutMs },
        (error, answer) => {
          if (error) reject(error)
          else resolve(answer!)
        },
      )
    })
  }

  return {
    getStatus: () => call(kmsMethods.status, {}),
    encrypt: (uid, plaintext) => call(kmsMethods.encrypt, { uid, plaintext }),
    decrypt: async (request) => (await call(kmsMethods.decrypt, request)).plaintext,
    close: () => client.close(),
  }
}

function formatSocketTarget(endpoint: string): string {
  const socket = endpoint.replace(/^unix:(\/\/[^/]*)?/i, '')
  return socket.startsWith('/@') ? `unix-abstract:${socket.slice(2)}` : `unix:${socket}`
}
