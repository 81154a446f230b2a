import { isJsonObject, getErrorMessage } from '@keelson/apimachinery'
import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import type { Claims } from './claims.ts'
import type { DocumentFetcher } from './document-fetcher.ts'
import { decodeUntrustedClaims, getUntrustedIssuer, verifyIdToken } from './id-token.ts'
import type { IdTokenRules } from './id-token.ts'
import { Provider } from './provider.ts'
import type { ProviderOptions } from './provider.ts'

export interface DistributedClaimOptions {
  /** Name of the claim that may be distributed, that is, stored in a separate token. */
  readonly claim: string
  readonly fetcher: DocumentFetcher
  readonly rules: IdTokenRules
  readonly provider: Omit<ProviderOptions, 'issuer' | 'discoveryUrl' | 'fetcher' | 'metrics'>
}

/** Maximum number of claim issuers whose keys are cached. Deployments have very few. */
const maxIssuers = 16

/**
 * Resolves a distributed claim (OpenID Connect Core 1.0, section 5.6.2). The claim is in a separate signed token, which is fetched from the
 * endpoint that the first token names.
 */
export class DistributedClaims implements Disposable {
  readonly #options: DistributedClaimOptions
  readonly #providers = new Map<string, Provider>()

  constructor(options: DistributedClaimOptions) {
    this.#options = options
  }

  [Symbol.dispose](): void {
    for (const provider of this.#providers.values()) provider[Symbol.dispose]()
  }

  /** Returns the claims, completed with the distributed claim if the token refers to one. Rejects with kube-apiserver's message. */
  async expand(claims: Claims): Promise<Claims> {
    const { claim } = this.#options
    const names = claims['_claim_names']
    if (Object.hasOwn(claims, claim) || names === undefined) return claims
    if (!isJsonObject(names)) throw new Error('oidc: error parsing distributed claim names: json: it is no object')
    const sources = claims['_claim_sources']
    if (sources === undefined) throw new Error('oidc: no claim sources')
    if (!isJsonObject(sources)) throw new Error('oidc: could not parse claim sources: json: it is no object')
    const name = names[claim]
    if (typeof name !== 'string') return claims
    const source = sources[name]
    if (!isJsonObject(source)) throw new Error(`id token _claim_names contained a source ${name} missing in _claims_sources`)
    const { endpoint } = source
    // Aggregated claims, which are embedded in the token, are not supported.
    if (typeof endpoint !== 'string' || endpoint === '') return claims
    return { ...claims, [claim]: await this.#fetch(endpoint, source) }
  }

  async #fetch(endpoint: string, source: JsonObject): Promise<JsonValue> {
    const { claim, rules } = this.#options
    const token = await this.#fetchToken(endpoint, source['access_token'])
    const untrusted = decodeUntrustedClaims(token)
    if (untrusted === undefined) {
      throw new Error(`getting untrusted issuer from endpoint ${endpoint} failed for claim ${JSON.stringify(claim)}: malformed token`)
    }
    const issuer = getUntrustedIssuer(untrusted)
    const provider = this.#getProvider(issuer)
    if (provider.problem !== undefined) {
      throw new Error(`verifying untrusted issuer ${issuer} failed: verifier not initialized for issuer: ${JSON.stringify(issuer)}`)
    }
    let verified: Claims
    try {
      verified = await verifyIdToken(token, provider, { ...rules, issuer })
    } catch (error) {
      throw new Error(`verify distributed claim token: ${getErrorMessage(error)}`, { cause: error })
    }
    const value = verified[claim]
    if (value === undefined)
      throw new Error(`jwt returned by distributed claim endpoint ${JSON.stringify(endpoint)} did not contain claim: ${claim}`)
    return value
  }

  async #fetchToken(endpoint: string, accessToken: JsonObject[string] | undefined): Promise<string> {
    const { claim, fetcher } = this.#options
    try {
      const headers = typeof accessToken === 'string' && accessToken !== '' ? { authorization: `Bearer ${accessToken}` } : {}
      const { status, body } = await fetcher.get(endpoint, headers)
      if (status < 200 || status > 226) throw new Error(`error while getting distributed claim JWT: ${status}`)
      return body
    } catch (error) {
      throw new Error(`while getting distributed claim ${JSON.stringify(claim)}: ${getErrorMessage(error)}`, { cause: error })
    }
  }

  #getProvider(issuer: string): Provider {
    let provider = this.#providers.get(issuer)
    if (provider === undefined) {
      const { fetcher, provider: options } = this.#options
      provider = new Provider({ ...options, issuer, fetcher })
      this.#providers.set(issuer, provider)
      const [oldest] = this.#providers
      if (this.#providers.size > maxIssuers && oldest !== undefined) {
        this.#providers.delete(oldest[0])
        oldest[1][Symbol.dispose]()
      }
    }
    return provider
  }
}
