import { X509Certificate } from 'node:crypto'
import { parsePemBlocks } from './pem.ts'

/** Returns the first error in issued certificates (base64 of PEM); undefined if they are valid. */
export function findCertificatesError(data: string): string | undefined {
  if (data === '') return undefined
  const blocks = parsePemBlocks(Buffer.from(data, 'base64').toString())
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found "${type}"`
    if (hasHeaders) return 'no PEM block headers are permitted'
    if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates'
    try {
      void new X509Certificate(bytes)
    } catch {
      return 'x509: malformed certificate'
    }
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined
}
