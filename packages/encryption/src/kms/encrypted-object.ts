import { isDNS1123Subdomain } from '@keelson/apimachinery'
import { createMessageCodec } from './kms-messages.ts'

/** Type of a data encryption key (DEK) source that is the AES-GCM key itself. Such values are only read. Old servers wrote them. */
export const aesGcmKey = 0
/**
 * `encryptedDEKSourceType` of a seed. HKDF-Expand derives one key per value from the seed. The HKDF parameter `info` is the first 32 bytes of
 * the encrypted data.
 */
export const hkdfSeed = 1

/** A value encrypted by KMS: the stored data after the prefix `k8s:enc:kms:v2:NAME:`. */
export interface EncryptedObject {
  readonly encryptedData: Uint8Array
  /** Id of the plugin's key that encrypted the DEK source. */
  readonly keyID: string
  readonly encryptedDEKSource: Uint8Array
  readonly annotations: Readonly<Record<string, Uint8Array>>
  readonly encryptedDEKSourceType: number
}

const maxKeyId = 1024
const maxSource = 1024
const maxAnnotations = 32 * 1024
const codec = createMessageCodec<EncryptedObject>('EncryptedObject')

export function encodeEncryptedObject(object: EncryptedObject): Buffer {
  validateEncryptedObject(object)
  return codec.encode(object)
}

export function decodeEncryptedObject(bytes: Uint8Array): EncryptedObject {
  const object = codec.decode(bytes)
  validateEncryptedObject(object)
  return object
}

export function validateEncryptedObject(object: EncryptedObject): void {
  const type = object.encryptedDEKSourceType
  if (type !== aesGcmKey && type !== hkdfSeed) throw new Error(`unknown encryptedDEKSourceType: ${type}`)
  if (object.encryptedData.length === 0) throw new Error('encrypted data is empty')
  validateDEKSource(object)
}

/** Validates the encrypted DEK source of a stored object or of a plugin's Encrypt response. Throws if it is invalid. */
export function validateDEKSource(object: Pick<EncryptedObject, 'keyID' | 'encryptedDEKSource' | 'annotations'>): void {
  const { length } = object.encryptedDEKSource
  if (length === 0) throw new Error('failed to validate encrypted DEK source: encrypted DEK source is empty')
  if (length > maxSource) {
    throw new Error(
      `failed to validate encrypted DEK source: encrypted DEK source is ${length} bytes, which exceeds the max size of ${maxSource}`,
    )
  }
  const keyIdProblem = checkKeyId(object.keyID)
  if (keyIdProblem !== undefined) throw new Error(`failed to validate key id: ${keyIdProblem}`)
  let size = 0
  for (const [name, value] of Object.entries(object.annotations)) {
    if (!name.includes('.') || isDNS1123Subdomain(name).length > 0) {
      throw new Error(`failed to validate annotations: ${JSON.stringify(name)} is not a fully qualified domain name`)
    }
    size += Buffer.byteLength(name) + value.length
  }
  if (size > maxAnnotations) {
    throw new Error(`failed to validate annotations: total size of annotations is ${size}, which exceeds the max size of ${maxAnnotations}`)
  }
}

export function checkKeyId(keyId: string): string | undefined {
  if (keyId === '') return 'keyID is empty'
  const size = Buffer.byteLength(keyId)
  return size > maxKeyId ? `keyID is ${size} bytes, which exceeds the max size of ${maxKeyId}` : undefined
}
