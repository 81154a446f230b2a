import { isDNS1123Subdomain } from '@keelson/apimachinery'
import { messageCodec } from './kms-messages.ts'

/** The plaintext of the DEK source is the AES-GCM key itself. Older servers wrote it; we read it. */
export const aesGcmKey = 0
/** It is a seed: HKDF-Expand with the first 32 bytes of the data as info gives each value a key of its own. */
export const hkdfSeed = 1

/** What is stored after `k8s:enc:kms:v2:NAME:`. */
export interface EncryptedObject {
  readonly encryptedData: Uint8Array
  /** The plugin's key that wrapped the DEK source. */
  readonly keyID: string
  readonly encryptedDEKSource: Uint8Array
  readonly annotations: Readonly<Record<string, Uint8Array>>
  readonly encryptedDEKSourceType: number
}

const maxKeyId = 1024
const maxSource = 1024
const maxAnnotations = 32 * 1024
const codec = messageCodec<EncryptedObject>('EncryptedObject')

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
  validateWrapped(object)
}

/** What a plugin's answer to Encrypt must be like, too. */
export function validateWrapped(object: Pick<EncryptedObject, 'keyID' | 'encryptedDEKSource' | 'annotations'>): void {
  const { length } = object.encryptedDEKSource
  if (length === 0) throw new Error('failed to validate encrypted DEK source: encrypted DEK source is empty')
  if (length > maxSource) {
    throw new Error(
      `failed to validate encrypted DEK source: encrypted DEK source is ${length} bytes, which exceeds the max size of ${maxSource}`,
    )
  }
  const keyIdComplaint = complaintAboutKeyId(object.keyID)
  if (keyIdComplaint !== undefined) throw new Error(`failed to validate key id: ${keyIdComplaint}`)
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

export function complaintAboutKeyId(keyId: string): string | undefined {
  if (keyId === '') return 'keyID is empty'
  const size = Buffer.byteLength(keyId)
  return size > maxKeyId ? `keyID is ${size} bytes, which exceeds the max size of ${maxKeyId}` : undefined
}
