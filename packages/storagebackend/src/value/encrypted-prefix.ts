/** The first bytes of every encrypted value. No other value has them: JSON starts with "{", protobuf with "k8s" and a zero, a record with 1. */
const encryptedPrefix = Buffer.from('k8s:enc:')

export function isEncryptedValue(stored: Uint8Array): boolean {
  return stored.length >= encryptedPrefix.length && encryptedPrefix.compare(stored, 0, encryptedPrefix.length) === 0
}

/** The error for an encrypted value when no encryption is configured. */
export const encryptedUnexpectedly = 'identity transformer tried to read encrypted data'
