import { createHash, createPublicKey, generateKeyPair, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import {
  encodeBitString,
  encodeBoolean,
  encodeExplicitTag,
  encodeImplicitTag,
  encodeInteger,
  encodeObjectIdentifier,
  encodeOctetString,
  encodeSequence,
  encodeSet,
  encodeTime,
  encodeUtf8String,
} from './der.ts'
import type { Der } from './der.ts'
import { parseIpBytes } from './ip-bytes.ts'

/** A certificate and its private key in PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

export interface Subject {
  readonly commonName: string
  readonly organizations?: readonly string[]
  /** The UID that kube-apiserver reads from the subject. */
  readonly uid?: string
}

export interface Issuer {
  readonly subject: Subject
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

export interface CertificateRequest {
  readonly subject: Subject
  readonly usage: 'ca' | 'server' | 'client'
  /** The DNS names and IP addresses of the certificate. */
  readonly names?: readonly string[]
  readonly notBefore: Date
  readonly notAfter: Date
  /** Issuer that signs the certificate. Default: the certificate is self-signed. */
  readonly issuer?: Issuer
  /** EC key of the certificate. Default: a new key. */
  readonly privateKey?: KeyObject
}

const ids = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  uid: '1.3.6.1.4.1.57683.2',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
}

/**
 * Creates an X.509 v3 certificate (RFC 5280) for an EC P-256 key, signed with ECDSA and SHA-256. It uses the DER encoder in `der.ts`:
 * `node:crypto` reads certificates and signs, but cannot issue certificates. Libraries that can (node-forge, @peculiar/x509, pkijs) add an
 * ASN.1 toolkit of hundreds of kilobytes. The openssl program may not be installed.
 */
export async function createCertificate(request: CertificateRequest): Promise<KeyPair> {
  const privateKey = request.privateKey ?? (await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })).privateKey
  const publicKey = createPublicKey(privateKey)
  const issuer = request.issuer ?? { subject: request.subject, privateKey, publicKey }
  const algorithm = encodeSequence(encodeObjectIdentifier(ids.ecdsaWithSha256))
  const body = encodeSequence(
    encodeExplicitTag(0, encodeInteger(Buffer.from([2]))),
    encodeInteger(createSerialNumber()),
    algorithm,
    name(issuer.subject),
    encodeSequence(encodeTime(request.notBefore), encodeTime(request.notAfter)),
    name(request.subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    encodeExplicitTag(3, encodeSequence(...encodeExtensions(request, publicKey, issuer.publicKey))),
  )
  const signature = sign('sha256', body, issuer.privateKey)
  return {
    certificate: encodePem('CERTIFICATE', encodeSequence(body, algorithm, encodeBitString(signature))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
}

// Creates a random serial number. The first bit is 0, so that the number is positive; the second bit is 1, so that it is not zero.
function createSerialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x3f) | 0x40
  return bytes
}

function name({ commonName, organizations = [], uid }: Subject): Der {
  const encodeAttribute = (id: string, value: string): Der => encodeSet(encodeSequence(encodeObjectIdentifier(id), encodeUtf8String(value)))
  return encodeSequence(
    ...organizations.map((value) => encodeAttribute(ids.organization, value)),
    encodeAttribute(ids.commonName, commonName),
    ...(uid === undefined ? [] : [encodeAttribute(ids.uid, uid)]),
  )
}

function encodeExtensions({ usage, names = [] }: CertificateRequest, subjectKey: KeyObject, issuer: KeyObject): Der[] {
  const encodeExtension = (id: string, value: Der, critical = false): Der =>
    encodeSequence(encodeObjectIdentifier(id), ...(critical ? [encodeBoolean(true)] : []), encodeOctetString(value))
  const list = [
    encodeExtension(ids.basicConstraints, usage === 'ca' ? encodeSequence(encodeBoolean(true)) : encodeSequence(), true),
    // Bit positions from the left: digitalSignature is 0, keyCertSign 5, cRLSign 6.
    encodeExtension(
      ids.keyUsage,
      usage === 'ca' ? encodeBitString(Buffer.from([0b10000110]), 1) : encodeBitString(Buffer.from([0b10000000]), 7),
      true,
    ),
    encodeExtension(ids.subjectKeyIdentifier, encodeOctetString(computeKeyIdentifier(subjectKey))),
    encodeExtension(ids.authorityKeyIdentifier, encodeSequence(encodeImplicitTag(0, computeKeyIdentifier(issuer)))),
  ]
  if (usage !== 'ca')
    list.push(
      encodeExtension(ids.extendedKeyUsage, encodeSequence(encodeObjectIdentifier(usage === 'server' ? ids.serverAuth : ids.clientAuth))),
    )
  if (names.length > 0) list.push(encodeExtension(ids.subjectAltName, encodeSequence(...names.map(encodeAlternativeName))))
  return list
}

function encodeAlternativeName(text: string): Der {
  return isIP(text) === 0 ? encodeImplicitTag(2, Buffer.from(text, 'latin1')) : encodeImplicitTag(7, parseIpBytes(text))
}

function computeKeyIdentifier(key: KeyObject): Buffer {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20)
}

function encodePem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
