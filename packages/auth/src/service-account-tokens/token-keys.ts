import { parsePemBlocks } from '@keelson/apimachinery'
import { X509Certificate, createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

export type TokenAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512'

/** A public key that verifies token signatures. */
export interface VerificationKey {
  /** Key id (`kid`) in the header of each signed token. It is derived from the public key, so all servers compute the same id. */
  readonly id: string
  readonly algorithm: TokenAlgorithm
  readonly publicKey: KeyObject
}

export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject
}

/** Reads the first private key in PEM text. Throws if no key can sign tokens. */
export function readSigningKey(pem: string): SigningKey {
  const block = parsePemBlocks(pem).find(({ label }) => label.endsWith('PRIVATE KEY'))
  if (block === undefined) throw new Error('data does not contain a valid RSA or ECDSA private key')
  const privateKey = createPrivateKey(block.text)
  return { ...createVerificationKey(createPublicKey(privateKey)), privateKey }
}

/** Reads all public keys in PEM text, including those of certificates and of private keys. Throws if there is none. */
export function readVerificationKeys(pem: string): VerificationKey[] {
  const keys = parsePemBlocks(pem).flatMap(({ label, text }) => {
    if (label === 'CERTIFICATE') return [createVerificationKey(new X509Certificate(text).publicKey)]
    if (label.endsWith('PRIVATE KEY')) return [createVerificationKey(createPublicKey(createPrivateKey(text)))]
    return label.endsWith('PUBLIC KEY') ? [createVerificationKey(createPublicKey(text))] : []
  })
  if (keys.length === 0) throw new Error('data does not contain any valid RSA or ECDSA public keys')
  return keys
}

export function createVerificationKey(publicKey: KeyObject): VerificationKey {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return { id: createHash('sha256').update(der).digest('base64url'), algorithm: decideAlgorithm(publicKey), publicKey }
}

const byCurve: Readonly<Record<string, TokenAlgorithm>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }

function decideAlgorithm({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): TokenAlgorithm {
  if (type === 'rsa') {
    const { modulusLength = 0 } = details ?? {}
    if (modulusLength < 2048) throw new Error(`an RSA key of ${modulusLength} bits cannot sign tokens: it must have at least 2048`)
    return 'RS256'
  }
  if (type !== 'ec') throw new Error(`a key of type ${type} cannot sign tokens: it must be RSA or ECDSA`)
  const algorithm = byCurve[details?.namedCurve ?? '']
  if (algorithm === undefined) throw new Error('unknown private key curve, must be 256, 384, or 521')
  return algorithm
}
