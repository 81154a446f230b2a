import { createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { DerError, parseDerValues } from './der.ts'
import type { DerValue } from './der.ts'
import { parsePemBlocks } from './pem.ts'

const sequence = 0x30
const set = 0x31
const bitString = 0x03
const bmpString = 0x1e
/** DER-encoded object identifiers of subject attributes, in hex. */
const commonNameIdentifier = '550403'
const organizationIdentifier = '55040a'
const structureError = "asn1: structure error: tags don't match"

/** Digest algorithm by the OID of the signature algorithm in hex; null for Ed25519, which includes its digest. */
const digests: Readonly<Record<string, string | null>> = {
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
  '2b6570': null,
}

/** Returns the first error in a certificate request (base64 of PEM); undefined if it parses and is signed by its own key. */
export function findCertificateRequestError(data: string): string | undefined {
  const [block] = parsePemBlocks(Buffer.from(data, 'base64').toString())
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST'
  try {
    return findSignatureError(block.bytes)
  } catch (error) {
    if (error instanceof DerError) return error.message
    throw error
  }
}

/** Verifies a CertificationRequest (RFC 2986), a sequence of signed info, algorithm and signature. */
function findSignatureError(bytes: Buffer): string | undefined {
  const [request, ...rest] = parseDerValues(bytes)
  if (rest.length > 0) throw new DerError('asn1: syntax error: trailing data')
  const [requestInfo, algorithm, signature] = readSequenceValues(request, sequence)
  const [, , keyInfo] = readSequenceValues(requestInfo, sequence)
  const [identifier] = readSequenceValues(algorithm, sequence)
  if (signature?.tag !== bitString || keyInfo === undefined) throw new DerError(structureError)
  const digest = digests[identifier?.content.toString('hex') ?? '']
  if (digest === undefined) return 'x509: cannot verify signature: algorithm unimplemented'
  const key = parsePublicKey(keyInfo)
  if (key === undefined) return 'x509: unknown public key'
  // The first byte counts unused bits in the last byte, which is 0 for signatures.
  const isValid = verify(digest, requestInfo!.bytes, key, signature.content.subarray(1))
  return isValid ? undefined : failures[key.asymmetricKeyType ?? '']
}

const failures: Readonly<Record<string, string>> = {
  rsa: 'crypto/rsa: verification error',
  ec: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
}

export interface CertificateSubject {
  /** Common name of the subject; the last one if there are several. */
  readonly commonName: string
  readonly organizations: readonly string[]
}

/** Reads the subject of a certificate request (base64 of PEM). Does not verify the signature. */
export function readCertificateRequestSubject(data: string): CertificateSubject | { readonly error: string } {
  const [block] = parsePemBlocks(Buffer.from(data, 'base64').toString())
  if (block?.type !== 'CERTIFICATE REQUEST') return { error: 'PEM block type must be CERTIFICATE REQUEST' }
  try {
    const [requestInfo] = readSequenceValues(parseDerValues(block.bytes)[0], sequence)
    const [, subject] = readSequenceValues(requestInfo, sequence)
    const attributes = readSequenceValues(subject, sequence).flatMap((names) => readSequenceValues(names, set))
    const readAttributeValues = (attributeType: string): string[] =>
      attributes.flatMap((attribute) => {
        const [identifier, value] = readSequenceValues(attribute, sequence)
        return identifier?.content.toString('hex') === attributeType && value !== undefined ? [decodeDerText(value)] : []
      })
    return {
      commonName: readAttributeValues(commonNameIdentifier).at(-1) ?? '',
      organizations: readAttributeValues(organizationIdentifier),
    }
  } catch (error) {
    if (error instanceof DerError) return { error: error.message }
    throw error
  }
}

/** Decodes a character string. BMPString has two bytes for each character, big-endian. */
function decodeDerText({ tag, content }: DerValue): string {
  return tag === bmpString && content.length % 2 === 0 ? Buffer.from(content).swap16().toString('utf16le') : content.toString()
}

function readSequenceValues(value: DerValue | undefined, tag: number): DerValue[] {
  if (value?.tag !== tag) throw new DerError(structureError)
  return parseDerValues(value.content)
}

function parsePublicKey({ bytes }: DerValue): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: bytes, format: 'der', type: 'spki' })
    return key.asymmetricKeyType !== undefined && key.asymmetricKeyType in failures ? key : undefined
  } catch {
    return undefined
  }
}
