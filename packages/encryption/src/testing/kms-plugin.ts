import { randomBytes } from 'node:crypto'
import { Server, ServerCredentials, status as codes } from '@grpc/grpc-js'
import type { handleUnaryCall, MethodDefinition, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js'
import { createAesGcm } from '../aes-gcm.ts'
import { kmsMethods } from '../kms/kms-messages.ts'
import type { DecryptRequest, Method } from '../kms/kms-messages.ts'

export interface KmsPluginOptions {
  /** Path of the Unix socket, which must not exist yet. */
  readonly socket: string
  /** Keys of a previous plugin by key id, so that this one can decrypt its seeds. */
  readonly keys?: ReadonlyMap<string, Uint8Array>
  /** Id of the current key. Default: "1". */
  readonly keyId?: string
}

/** A KMS v2 plugin that keeps its keys in memory. For tests only, because it does not protect the keys. */
export interface KmsPlugin extends AsyncDisposable {
  /** Value of `kms.endpoint` in the configuration. */
  readonly endpoint: string
  readonly keys: ReadonlyMap<string, Uint8Array>
  /** Number of completed calls by method. */
  readonly calls: Readonly<Record<'status' | 'encrypt' | 'decrypt', number>>
  /** Starts to encrypt with a new key. The plugin can still decrypt with previous keys. */
  rotate(keyId: string): void
  /** Sets the health in Status responses. "ok" means healthy. */
  setHealth(health: string): void
  /** Makes every call fail with this reason. With undefined, calls succeed again. */
  setFailure(reason: string | undefined): void
}

export async function startKmsPlugin(options: KmsPluginOptions): Promise<KmsPlugin> {
  const keys = new Map<string, Uint8Array>(options.keys)
  const calls = { status: 0, encrypt: 0, decrypt: 0 }
  let keyId = options.keyId ?? '1'
  let health = 'ok'
  let failure: string | undefined
  const requireKey = (id: string): Uint8Array => keys.get(id) ?? fail(`there is no key ${id}`)
  const ensureKey = (id: string): void => void (keys.has(id) || keys.set(id, randomBytes(32)))
  ensureKey(keyId)

  const server = new Server()
  server.addService(service, {
    status: answer(() => {
      calls.status++
      return { version: 'v2', healthz: health, keyId }
    }),
    encrypt: answer(({ plaintext }: { plaintext: Uint8Array }) => {
      calls.encrypt++
      const ciphertext = createAesGcm(requireKey(keyId)).toStorage(plaintext, keyId)
      return { ciphertext, keyId, annotations: { [annotation]: annotationValue } }
    }),
    decrypt: answer(({ ciphertext, keyId: id, annotations }: DecryptRequest) => {
      calls.decrypt++
      if (Buffer.compare(annotations[annotation] ?? Buffer.of(), annotationValue) !== 0)
        fail('the annotations are not those that were given')
      return { plaintext: createAesGcm(requireKey(id)).fromStorage(ciphertext, id).data }
    }),
  } satisfies UntypedServiceImplementation)
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${options.socket}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()))
  })

  function answer<Q, A>(respond: (request: Q) => A): handleUnaryCall<Q, A> {
    return ({ request }, callback) => {
      try {
        if (failure !== undefined) fail(failure)
        callback(null, respond(request))
      } catch (error) {
        callback({ code: codes.INTERNAL, details: (error as Error).message })
      }
    }
  }

  return {
    endpoint: `unix://${options.socket}`,
    keys,
    calls,
    rotate(id) {
      keyId = id
      ensureKey(id)
    },
    setHealth: (text) => void (health = text),
    setFailure: (reason) => void (failure = reason),
    async [Symbol.asyncDispose]() {
      server.forceShutdown()
    },
  }
}

const annotation = 'plugin.keelson.example'
const annotationValue = Buffer.from('1')

const service: ServiceDefinition = {
  status: createDefinition(kmsMethods.status),
  encrypt: createDefinition(kmsMethods.encrypt),
  decrypt: createDefinition(kmsMethods.decrypt),
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

function fail(reason: string): never {
  throw new Error(reason)
}
