import { getErrorMessage, systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { Dialer, EgressNetwork } from '@keelson/outbound'
import type { CompiledJwt } from '../configuration/validate-authentication-configuration.ts'
import type { TokenAuthenticator, TokenResult } from '../token-authenticator.ts'
import { mapClaimsToUser } from './claims.ts'
import { DistributedClaims } from './distributed-claims.ts'
import { createDocumentFetcher } from './document-fetcher.ts'
import { signingAlgorithms, decodeUntrustedClaims, getUntrustedIssuer, verifyIdToken } from './id-token.ts'
import type { JwtMetrics } from './jwt-metrics.ts'
import { Provider } from './provider.ts'

export interface JwtAuthenticatorOptions {
  readonly issuers: readonly CompiledJwt[]
  readonly dialer: Dialer
  readonly clock?: Clock
  /** Accepted signature algorithms. Default: all that kube-apiserver supports. */
  readonly algorithms?: readonly string[]
  readonly metrics?: JwtMetrics | undefined
  readonly log?: ((text: string) => void) | undefined
}

/** Authenticates ID tokens of OpenID Connect providers. */
export interface JwtAuthenticator extends TokenAuthenticator, Disposable {
  /** Lists the issuers that are not ready, with the reasons. */
  listProblems(): readonly string[]
}

/** Creates an authenticator of ID tokens. The issuer of a token selects the configuration. Tokens of unknown issuers are not recognized. */
export function createJwtAuthenticator(options: JwtAuthenticatorOptions): JwtAuthenticator {
  const issuers = options.issuers.map((jwt) => new Issuer(jwt, options))
  return {
    authenticateToken: (token) => {
      const claims = issuers.length === 0 ? undefined : decodeUntrustedClaims(token)
      if (claims === undefined) return undefined
      const url = getUntrustedIssuer(claims)
      return issuers.find((issuer) => issuer.url === url)?.authenticate(token)
    },
    listProblems: () => issuers.flatMap(({ problem }) => problem ?? []),
    [Symbol.dispose]: () => {
      for (const issuer of issuers) issuer[Symbol.dispose]()
    },
  }
}

class Issuer implements Disposable {
  readonly url: string
  readonly #jwt: CompiledJwt
  readonly #options: JwtAuthenticatorOptions
  readonly #provider: Provider
  readonly #fetcher: ReturnType<typeof createDocumentFetcher>
  readonly #distributed: DistributedClaims | undefined

  constructor(jwt: CompiledJwt, options: JwtAuthenticatorOptions) {
    const { url = '', discoveryURL = '', certificateAuthority = '', egressSelectorType = '' } = jwt.configuration.issuer ?? {}
    const { dialer, clock, log } = options
    this.url = url
    this.#jwt = jwt
    this.#options = options
    this.#fetcher = createDocumentFetcher({
      dialer,
      tls: certificateAuthority === '' ? {} : { authorities: certificateAuthority },
      ...(egressSelectorType !== '' && { network: egressSelectorType as EgressNetwork }),
    })
    const shared = { ...(clock && { clock }), log }
    this.#provider = new Provider({
      ...shared,
      issuer: url,
      ...(discoveryURL !== '' && { discoveryUrl: discoveryURL }),
      fetcher: this.#fetcher,
      metrics: options.metrics?.createKeySetMetrics(url),
    })
    const { claim = '' } = jwt.configuration.claimMappings?.groups ?? {}
    this.#distributed =
      claim === '' ? undefined : new DistributedClaims({ claim, fetcher: this.#fetcher, rules: this.#rules, provider: shared })
  }

  get problem(): string | undefined {
    const { problem } = this.#provider
    return problem && `oidc: authenticator for issuer ${JSON.stringify(this.url)} is not healthy: ${problem}`
  }

  get #rules() {
    const { algorithms = signingAlgorithms, clock = systemClock } = this.#options
    return { issuer: this.url, audiences: this.#jwt.configuration.issuer?.audiences ?? [], algorithms, now: clock.now }
  }

  async authenticate(token: string): Promise<TokenResult> {
    const started = performance.now()
    const observe = (isSuccess: boolean): void => this.#options.metrics?.observe(this.url, isSuccess, (performance.now() - started) / 1000)
    try {
      const user = await this.#readUser(token)
      observe(true)
      return user
    } catch (error) {
      observe(false)
      return { rejected: getErrorMessage(error) }
    }
  }

  async #readUser(token: string) {
    if (this.#provider.problem !== undefined) throw new Error('oidc: authenticator not initialized')
    let claims
    try {
      claims = await verifyIdToken(token, this.#provider, this.#rules)
    } catch (error) {
      throw new Error(`oidc: verify token: ${getErrorMessage(error)}`, { cause: error })
    }
    try {
      claims = (await this.#distributed?.expand(claims)) ?? claims
    } catch (error) {
      throw new Error(`oidc: could not expand distributed claims: ${getErrorMessage(error)}`, { cause: error })
    }
    return mapClaimsToUser(claims, this.#jwt)
  }

  [Symbol.dispose](): void {
    this.#provider[Symbol.dispose]()
    this.#distributed?.[Symbol.dispose]()
    this.#fetcher[Symbol.dispose]()
  }
}
