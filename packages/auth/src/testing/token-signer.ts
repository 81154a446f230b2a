import { generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Server, ServerCredentials, status as codes } from '@grpc/grpc-js'
import type { handleUnaryCall, MethodDefinition, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js'
import { signerMethods } from '../external-signer/signer-messages.ts'
import type { Method } from '../external-signer/signer-messages.ts'

/** An external signer of service account tokens with keys in memory. For tests only. */
export interface TokenSigner extends AsyncDisposable {
  readonly socket: string
  /** Number of answered calls for each gRPC method. */
  readonly calls: Readonly<Record<'sign' | 'fetchKeys' | 'metadata', number>>
  /** Replaces the signing key. Tokens signed with the old keys stay valid. */
  rotate(keyId: string): void
  /** Excludes a key from the OpenID discovery document. */
  exclude(keyId: string): void
  /** Overrides members of the headers of tokens. */
  setHeader(members: object): void
  setMaxTokenSeconds(seconds: number): void
  setRefreshSeconds(seconds: number): void
  /** Makes every call fail with this reason. Undefined lets calls succeed again. */
  setFailure(reason: string | undefined): void
}

/** Starts a signer at a Unix socket. The path must not exist. */
export async function startTokenSigner(socket: string): Promise<TokenSigner> {
  const keys = new Map<string, { readonly privateKey: KeyObject; readonly der: Buffer }>()
  const excluded = new Set<string>()
  const calls = { sign: 0, fetchKeys: 0, metadata: 0 }
  let keyId = '1'
  let header: object = {}
  let maxTokenSeconds = 3600
  let refreshSeconds = 60
  let failure: string | undefined
  const addKey = (id: string): void => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    keys.set(id, { privateKey, der: publicKey.export({ type: 'spki', format: 'der' }) })
  }
  addKey(keyId)

  function answer<Q, A>(name: keyof typeof calls, respond: (request: Q) => A): handleUnaryCall<Q, A> {
    return ({ request }, callback) => {
      calls[name]++
      if (failure === undefined) callback(null, respond(request))
      else callback({ code: codes.UNAVAILABLE, details: failure })
    }
  }

  const server = new Server()
  server.addService(service, {
    sign: answer('sign', ({ claims }: { claims: string }) => {
      const text = Buffer.from(JSON.stringify({ alg: 'ES256', kid: keyId, typ: 'JWT', ...header })).toString('base64url')
      const key = { key: keys.get(keyId)!.privateKey, dsaEncoding: 'ieee-p1363' } as const
      return { header: text, signature: sign('sha256', Buffer.from(`${text}.${claims}`), key).toString('base64url') }
    }),
    fetchKeys: answer('fetchKeys', () => ({
      keys: Array.from(keys, ([id, { der }]) => ({ keyId: id, key: der, excludeFromOidcDiscovery: excluded.has(id) })),
      dataTimestamp: { seconds: 1_700_000_000, nanos: 0 },
      refreshHintSeconds: refreshSeconds,
    })),
    metadata: answer('metadata', () => ({ maxTokenExpirationSeconds: maxTokenSeconds })),
  } satisfies UntypedServiceImplementation)
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()))
  })

  return {
    socket,
    calls,
    rotate(id) {
      keyId = id
      addKey(id)
    },
    exclude: (id) => void excluded.add(id),
    setHeader: (members) => void (header = members),
    setMaxTokenSeconds: (seconds) => void (maxTokenSeconds = seconds),
    setRefreshSeconds: (seconds) => void (refreshSeconds = seconds),
    setFailure: (reason) => void (failure = reason),
    async [Symbol.asyncDispose]() {
      server.forceShutdown()
    },
  }
}

const service: ServiceDefinition = {
  sign: createDefinition(signerMethods.sign),
  fetchKeys: createDefinition(signerMethods.fetchKeys),
  metadata: createDefinition(signerMethods.metadata),
}

function createDefinition<Q, A>({ path, request, response }: Method<Q, A>): MethodDefinition<Q, A> {
  return {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: request.encode,
    requestDeserialize: request.decode,
    responseSerialize: response.encode,
    responseDeserialize: response.decode,
  }
}
