import type { VerificationKey } from './token-keys.ts'

/** OpenID Connect discovery documents, with which other services verify service account tokens. */
export interface OpenIdDocuments {
  /** Served at `/.well-known/openid-configuration`. */
  readonly configuration: string
  /** Served at `/openid/v1/jwks`. */
  readonly keySet: string
}

export const openIdConfigurationPath = '/.well-known/openid-configuration'
export const keySetPath = '/openid/v1/jwks'

/** Builds the discovery documents. Throws if the issuer is not an https URL without query and fragment. */
export function buildOpenIdDocuments(issuer: string, keySetUri: string, keys: readonly VerificationKey[]): OpenIdDocuments {
  const url = URL.parse(issuer)
  if (url?.protocol !== 'https:') throw new Error(`issuer URL must use https scheme, got: ${issuer}`)
  if (issuer.includes('?')) throw new Error(`issuer URL may not include a query, got: ${issuer}`)
  if (issuer.includes('#')) throw new Error(`issuer URL may not include a fragment, got: ${issuer}`)
  if (URL.parse(keySetUri)?.protocol !== 'https:') throw new Error(`jwksURI requires https scheme, parsed as: ${keySetUri}`)
  return {
    configuration: JSON.stringify({
      issuer,
      jwks_uri: keySetUri,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...new Set(keys.map(({ algorithm }) => algorithm))].sort(),
    }),
    keySet: JSON.stringify({ keys: keys.map(createPublicWebKey) }),
  }
}

function createPublicWebKey({ id, algorithm, publicKey }: VerificationKey): Record<string, unknown> {
  const { kty, ...members } = publicKey.export({ format: 'jwk' })
  return { use: 'sig', kty, kid: id, alg: algorithm, ...members }
}
