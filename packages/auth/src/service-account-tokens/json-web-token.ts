import { sign, verify } from 'node:crypto'
import type { SigningKey, TokenAlgorithm, VerificationKey } from './token-keys.ts'

// JSON Web Tokens are our own code: a library would bring every algorithm and key source that has made forgeries elsewhere, and this needs four algorithms, one
// form and keys that are known beforehand. Checked against Web Crypto in the tests, and no laxer than go-jose, which kube-apiserver uses.

const digests: Readonly<Record<TokenAlgorithm, string>> = { RS256: 'sha256', ES256: 'sha256', ES384: 'sha384', ES512: 'sha512' }

/** A token in its compact form (RFC 7515), taken apart. Nothing in it is to be believed before `hasSignatureOf`. */
export interface ParsedToken {
  readonly algorithm: unknown
  readonly keyId: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly signed: Buffer
  readonly signature: Buffer
}

/** Signed off the main thread. */
export function signToken(payload: object, key: SigningKey): Promise<string> {
  const signed = `${encode({ alg: key.algorithm, kid: key.id })}.${encode(payload)}`
  return new Promise((resolve, reject) => {
    sign(digests[key.algorithm], Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' }, (error, signature) => {
      if (error === null) resolve(`${signed}.${signature.toString('base64url')}`)
      else reject(error)
    })
  })
}

/** Three parts of base64 for URLs, without padding. Node's decoder also takes other alphabets, and passes over what is in none. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** undefined for what is no token of this form, or asks for what is not understood here. */
export function parseToken(token: string): ParsedToken | undefined {
  if (!compactForm.test(token)) return undefined
  const parts = token.split('.')
  const [header, payload] = parts.slice(0, 2).map(decode)
  if (header === undefined || payload === undefined) return undefined
  // RFC 7515, 4.1.11: who does not understand an extension that is critical must refuse the token. `b64: false` is one that changes what is signed.
  if ('crit' in header || header['b64'] === false) return undefined
  return {
    algorithm: header['alg'],
    keyId: typeof header['kid'] === 'string' ? header['kid'] : '',
    payload,
    signed: Buffer.from(token.slice(0, token.lastIndexOf('.'))),
    signature: Buffer.from(parts[2]!, 'base64url'),
  }
}

/** The key decides the algorithm; a token that names another is not its own. */
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
