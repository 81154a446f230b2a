// protobufjs encodes the messages of KMS plugins from their descriptors, because KMS calls are rare and need not be fast.
import protobuf from 'protobufjs/light.js'

export interface StatusResponse {
  readonly version: string
  readonly healthz: string
  readonly keyId: string
}
export interface DecryptRequest {
  readonly ciphertext: Uint8Array
  readonly uid: string
  readonly keyId: string
  readonly annotations: Readonly<Record<string, Uint8Array>>
}
export interface DecryptResponse {
  readonly plaintext: Uint8Array
}
export interface EncryptRequest {
  readonly plaintext: Uint8Array
  readonly uid: string
}
export interface EncryptResponse {
  readonly ciphertext: Uint8Array
  readonly keyId: string
  readonly annotations: Readonly<Record<string, Uint8Array>>
}

/** Encodes and decodes messages of one type, for gRPC calls and stored values. */
export interface MessageCodec<T> {
  readonly encode: (message: T) => Buffer
  readonly decode: (bytes: Uint8Array) => T
}

function createBytesMap(id: number): protobuf.IMapField {
  return { id, keyType: 'string', type: 'bytes' }
}

const root = protobuf.Root.fromJSON({
  nested: {
    StatusRequest: { fields: {} },
    StatusResponse: {
      fields: { version: { id: 1, type: 'string' }, healthz: { id: 2, type: 'string' }, keyId: { id: 3, type: 'string' } },
    },
    DecryptRequest: {
      fields: {
        ciphertext: { id: 1, type: 'bytes' },
        uid: { id: 2, type: 'string' },
        keyId: { id: 3, type: 'string' },
        annotations: createBytesMap(4),
      },
    },
    DecryptResponse: { fields: { plaintext: { id: 1, type: 'bytes' } } },
    EncryptRequest: { fields: { plaintext: { id: 1, type: 'bytes' }, uid: { id: 2, type: 'string' } } },
    EncryptResponse: {
      fields: {
        ciphertext: { id: 1, type: 'bytes' },
        keyId: { id: 2, type: 'string' },
        annotations: createBytesMap(3),
      },
    },
    EncryptedObject: {
      fields: {
        encryptedData: { id: 1, type: 'bytes' },
        keyID: { id: 2, type: 'string' },
        encryptedDEKSource: { id: 3, type: 'bytes' },
        annotations: createBytesMap(4),
        encryptedDEKSourceType: { id: 5, type: 'int32' },
      },
    },
  },
})

export function createMessageCodec<T extends object>(name: string): MessageCodec<T> {
  const type = root.lookupType(name)
  return {
    // Fields with their zero value are omitted, as proto3 requires.
    encode: (message) => Buffer.from(type.encode(withoutZeros(message)).finish()),
    decode: (bytes) => type.toObject(type.decode(bytes), { defaults: true, bytes: Buffer, objects: true }) as T,
  }
}

function withoutZeros(message: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(message).filter(([, value]) => value !== '' && value !== 0 && (value as Uint8Array).length !== 0),
  )
}

const formatPath = (method: string): string => `/v2.KeyManagementService/${method}`

/** The three calls of a KMS plugin (KMS v2), with the codecs of their messages. */
export const kmsMethods: {
  readonly status: Method<object, StatusResponse>
  readonly decrypt: Method<DecryptRequest, DecryptResponse>
  readonly encrypt: Method<EncryptRequest, EncryptResponse>
} = {
  status: { path: formatPath('Status'), request: createMessageCodec('StatusRequest'), response: createMessageCodec('StatusResponse') },
  decrypt: { path: formatPath('Decrypt'), request: createMessageCodec('DecryptRequest'), response: createMessageCodec('DecryptResponse') },
  encrypt: { path: formatPath('Encrypt'), request: createMessageCodec('EncryptRequest'), response: createMessageCodec('EncryptResponse') },
}

export interface Method<Q, A> {
  readonly path: string
  readonly request: MessageCodec<Q>
  readonly response: MessageCodec<A>
}
