// Messages are rare, so protobufjs encodes them by reflection; no generated code is needed.
import protobuf from 'protobufjs/light.js'

/** The signer's answer to a signing request: header and signature of the token in base64url. */
export interface SignResponse {
  readonly header: string
  readonly signature: string
}

export interface PublishedKey {
  readonly keyId: string
  /** The public key in PKIX form, DER-encoded. */
  readonly key: Uint8Array
  readonly excludeFromOidcDiscovery: boolean
}

export interface FetchKeysResponse {
  readonly keys: readonly PublishedKey[]
  readonly dataTimestamp: { readonly seconds: number; readonly nanos: number } | null
  readonly refreshHintSeconds: number
}

export interface MetadataResponse {
  readonly maxTokenExpirationSeconds: number
}

/** Encodes and decodes one message type. */
interface MessageCodec<T> {
  readonly encode: (message: T) => Buffer
  readonly decode: (bytes: Uint8Array) => T
}

/** A method of the gRPC service with the codecs of its messages. */
export interface Method<Q, A> {
  readonly path: string
  readonly request: MessageCodec<Q>
  readonly response: MessageCodec<A>
}

const root = protobuf.Root.fromJSON({
  nested: {
    Nothing: { fields: {} },
    SignRequest: { fields: { claims: { id: 1, type: 'string' } } },
    SignResponse: { fields: { header: { id: 1, type: 'string' }, signature: { id: 2, type: 'string' } } },
    Timestamp: { fields: { seconds: { id: 1, type: 'int64' }, nanos: { id: 2, type: 'int32' } } },
    Key: {
      fields: {
        keyId: { id: 1, type: 'string' },
        key: { id: 2, type: 'bytes' },
        excludeFromOidcDiscovery: { id: 3, type: 'bool' },
      },
    },
    FetchKeysResponse: {
      fields: {
        keys: { rule: 'repeated', id: 1, type: 'Key' },
        dataTimestamp: { id: 2, type: 'Timestamp' },
        refreshHintSeconds: { id: 3, type: 'int64' },
      },
    },
    MetadataResponse: { fields: { maxTokenExpirationSeconds: { id: 1, type: 'int64' } } },
  },
})

function createCodec<T extends object>(name: string): MessageCodec<T> {
  const type = root.lookupType(name)
  return {
    encode: (message) => Buffer.from(type.encode(type.fromObject(message)).finish()),
    decode: (bytes) => type.toObject(type.decode(bytes), { defaults: true, bytes: Buffer, arrays: true, longs: Number }) as T,
  }
}

const formatPath = (method: string): string => `/v1.ExternalJWTSigner/${method}`

/** The methods of the gRPC service `k8s.io/externaljwt`, v1. */
export const signerMethods: {
  readonly sign: Method<{ readonly claims: string }, SignResponse>
  readonly fetchKeys: Method<object, FetchKeysResponse>
  readonly metadata: Method<object, MetadataResponse>
} = {
  sign: { path: formatPath('Sign'), request: createCodec('SignRequest'), response: createCodec('SignResponse') },
  fetchKeys: { path: formatPath('FetchKeys'), request: createCodec('Nothing'), response: createCodec('FetchKeysResponse') },
  metadata: { path: formatPath('Metadata'), request: createCodec('Nothing'), response: createCodec('MetadataResponse') },
}
