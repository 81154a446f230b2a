import { sign, verify } from 'node:crypto'
import type { SigningKey, TokenAlgorithm, VerificationKey } from './token-keys.ts'

// Own JSON Web Token code: a library would bring every algorithm and key source that has allowed forgeries elsewhere. Only four algorithms,
// one serialization and known keys are needed. Tests check it against Web Crypto; it is no laxer than go-jose, which kube-apiserver uses.

const digests: Readonly<Record<TokenAlgorithm, string>> = { RS256: 'sha256', ES256: 'sha256', ES384: 'sha384', ES512: 'sha512' }

/** A parsed token in compact serialization (RFC 7515). Nothing in it is trustworthy before `hasSignatureOf`. */
export interface ParsedToken {
  readonly algorithm: unknown
  readonly keyId: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly signed: Buffer
  readonly signature: Buffer
}

/** Signs off the main thread. */
export function signToken(payload: object, key: SigningKey): Promise<string> {
  const signed = `${encode({ alg: key.algorithm, kid: key.id })}.${encode(payload)}`
  return new Promise((resolve, reject) => {
    sign(digests[key.algorithm], Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' }, (error, signature) => {
      if (error === null) resolve(`${signed}.${signature.toString('base64url')}`)
      else reject(error)
    })
  })
}

/** Three base64url parts without padding. Node's decoder also accepts other alphabets and skips invalid characters. */
const compactSerialization = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Parses a token; undefined if it is malformed or requires an unsupported extension. */
export function parseToken(token: string): ParsedToken | undefined {
  if (!compactSerialization.test(token)) return undefined
  const parts = token.split('.')
  const [header, payload] = parts.slice(0, 2).map(decode)
  if (header === undefined || payload === undefined) return undefined
  // RFC 7515, 4.1.11: a token with an unsupported critical extension must be refused. `b64: false` changes the signed bytes.
  if ('crit' in header || header['b64'] === false) return undefined
  return {
    algorithm: header['alg'],
    keyId: typeof header['kid'] === 'string' ? header['kid'] : '',
    payload,
    signed: Buffer.from(token.slice(0, token.lastIndexOf('.'))),
    signature: Buffer.from(parts[2]!, 'base64url'),
  }
}

/** Verifies the signature. The key decides the algorithm; a token that names another algorithm fails. */
export function hasSignatureOf(token: ParsedToken, key: VerificationKey): boolean {
  if (token.algorithm !== key.algorithm) return false
  return verify(digests[key.algorithm], token.signed, { key: key.publicKey, dsaEncoding: 'ieee-p1363' }, token.signature)
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
