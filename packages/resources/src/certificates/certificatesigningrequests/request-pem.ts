import { createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { DerError, derValues } from './der.ts'
import type { DerValue } from './der.ts'
import { pemBlocks } from './pem.ts'

const sequence = 0x30
const bitString = 0x03
const structureError = "asn1: structure error: tags don't match"

/** By the identifiers of signature algorithms, in hex: what is hashed with. Ed25519 hashes itself. */
const digests: Readonly<Record<string, string | null>> = {
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
  '2b6570': null,
}

/** What is wrong with a request for a certificate (PEM, in base64); undefined when it is one, and signed by the key that it is for. */
export function complaintOfRequest(data: string): string | undefined {
  const [block] = pemBlocks(Buffer.from(data, 'base64').toString())
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST'
  try {
    return complaintOfSignature(block.bytes)
  } catch (error) {
    if (error instanceof DerError) return error.message
    throw error
  }
}

/** CertificationRequest of RFC 2986: what is signed, by which algorithm, and the signature. */
function complaintOfSignature(bytes: Buffer): string | undefined {
  const [request, ...rest] = derValues(bytes)
  if (rest.length > 0) throw new DerError('asn1: syntax error: trailing data')
  const [info, algorithm, signature] = members(request, sequence)
  const [, , keyInfo] = members(info, sequence)
  const [identifier] = members(algorithm, sequence)
  if (signature?.tag !== bitString || keyInfo === undefined) throw new DerError(structureError)
  const digest = digests[identifier?.content.toString('hex') ?? '']
  if (digest === undefined) return 'x509: cannot verify signature: algorithm unimplemented'
  const key = publicKey(keyInfo)
  if (key === undefined) return 'x509: unknown public key'
  // The first byte says how many bits of the last are unused: none.
  const good = verify(digest, info!.bytes, key, signature.content.subarray(1))
  return good ? undefined : failures[key.asymmetricKeyType ?? '']
}

const failures: Readonly<Record<string, string>> = {
  rsa: 'crypto/rsa: verification error',
  ec: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
}

function members(value: DerValue | undefined, tag: number): DerValue[] {
  if (value?.tag !== tag) throw new DerError(structureError)
  return derValues(value.content)
}

function publicKey({ bytes }: DerValue): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: bytes, format: 'der', type: 'spki' })
    return key.asymmetricKeyType !== undefined && key.asymmetricKeyType in failures ? key : undefined
  } catch {
    return undefined
  }
}
