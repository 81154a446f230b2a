import type { Secret } from '@keelson/api/core/v1'
import { parsePemBlocks } from '@keelson/apimachinery'
import type { DeepReadonly, PemBlock } from '@keelson/apimachinery'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** Returns a warning if the certificate and the key of a TLS secret do not match. A warning does not prevent the write. */
export function findTLSWarnings(secret: DeepReadonly<Secret>): readonly string[] {
  if (secret.type !== 'kubernetes.io/tls') return []
  const error = findKeyPairError(decodeValue(secret, 'tls.crt'), decodeValue(secret, 'tls.key'))
  return error === undefined ? [] : [error]
}

function decodeValue(secret: DeepReadonly<Secret>, key: string): string {
  return Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8')
}

function findKeyPairError(certificates: string, keys: string): string | undefined {
  const certificateBlocks = parsePemBlocks(certificates)
  const certificateBlock = certificateBlocks.find(({ label }) => label === 'CERTIFICATE')
  if (certificateBlock === undefined) return describeMissingBlock('CERTIFICATE', 'certificate input', certificateBlocks)
  const keyBlocks = parsePemBlocks(keys)
  const keyBlock = keyBlocks.find(({ label }) => label === 'PRIVATE KEY' || label.endsWith(' PRIVATE KEY'))
  if (keyBlock === undefined) return describeMissingBlock('PRIVATE KEY', 'key input', keyBlocks)
  const certificate = tryParse(() => new X509Certificate(certificateBlock.text))
  if (certificate === undefined) return 'x509: malformed certificate'
  const key = tryParse((): KeyObject => createPrivateKey(keyBlock.text))
  if (key === undefined) return 'tls: failed to parse private key'
  if (certificate.publicKey.asymmetricKeyType !== key.asymmetricKeyType) return 'tls: private key type does not match public key type'
  return certificate.checkPrivateKey(key) ? undefined : 'tls: private key does not match public key'
}

function describeMissingBlock(blockType: string, input: string, skipped: readonly PemBlock[]): string {
  if (skipped.length === 0) return `tls: failed to find any PEM data in ${input}`
  const types = skipped.map(({ label }) => label)
  if (blockType === 'CERTIFICATE' && types.length === 1 && types[0]!.endsWith('PRIVATE KEY')) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'
  }
  if (blockType === 'PRIVATE KEY' && types.length === 1 && types[0] === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key'
  }
  const block = blockType === 'CERTIFICATE' ? '"CERTIFICATE" PEM block' : 'PEM block with type ending in "PRIVATE KEY"'
  return `tls: failed to find ${block} in ${input} after skipping PEM blocks of the following types: [${types.join(' ')}]`
}

function tryParse<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}
