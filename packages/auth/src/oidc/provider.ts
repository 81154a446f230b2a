import { isJsonObject, getErrorMessage, pause, systemClock, trimRight } from '@keelson/apimachinery'
import type { Clock, JsonObject, JsonValue } from '@keelson/apimachinery'
import { importJWK } from 'jose/key/import'
import { compactVerify } from 'jose/jws/compact/verify'
import type { CryptoKey, JWK } from 'jose'
import type { DocumentFetcher } from './document-fetcher.ts'
import type { JwksMetrics } from './jwt-metrics.ts'

export interface ProviderOptions {
  readonly issuer: string
  /** URL of the discovery document. Default: derived from the issuer's URL. */
  readonly discoveryUrl?: string
  readonly fetcher: DocumentFetcher
  readonly clock?: Clock
  readonly metrics?: JwksMetrics | undefined
  readonly log?: ((text: string) => void) | undefined
}

const wellKnownPath = '/.well-known/openid-configuration'
/** Pause after a failed discovery, in milliseconds. */
const discoveryPauseMs = 10_000
/**
 * Minimum time between two fetches of the keys, in milliseconds. Anyone may send tokens with unknown key ids, so fetches need a limit. A
 * token with an unknown key waits for the next fetch.
 */
const refreshPauseMs = 1000

/**
 * An OpenID Connect provider that verifies signatures. It discovers the URL of the keys in the background and retries until that succeeds.
 * A token with an unknown key causes a fetch of the keys, so that new keys work at once.
 */
export class Provider implements Disposable {
  readonly #options: ProviderOptions
  readonly #clock: Clock
  #keySetUrl: string | undefined
  #problem: string
  #keys: readonly Key[] = []
  #refresh: Promise<void> | undefined
  #refreshedAt = -Infinity
  #cancel: (() => void) | undefined
  #isClosed = false

  constructor(options: ProviderOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#problem = `oidc: authenticator for issuer ${JSON.stringify(options.issuer)} is not initialized`
    void this.#discover()
  }

  /** The reason for which the provider is not ready; undefined if it is ready. */
  get problem(): string | undefined {
    return this.#keySetUrl === undefined ? this.#problem : undefined
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#cancel?.()
  }

  /** Verifies the signature of a token. The algorithm must already have been checked. Rejects with kube-apiserver's message. */
  async verify(token: string, { algorithm, keyId }: TokenHeader): Promise<void> {
    const tried = this.#keys
    if (await this.#hasSignature(token, { algorithm, keyId })) return
    // Skips the fetch if another request has fetched the keys in the meantime.
    if (tried === this.#keys) await this.#refreshKeys()
    if (await this.#hasSignature(token, { algorithm, keyId })) return
    throw new Error('failed to verify signature: failed to verify id token signature')
  }

  async #hasSignature(token: string, { algorithm, keyId }: TokenHeader): Promise<boolean> {
    for (const key of this.#keys) {
      if (keyId !== '' && key.jwk.kid !== keyId) continue
      const imported = await key.import(algorithm)
      if (imported === undefined) continue
      try {
        await compactVerify(token, imported, { algorithms: [algorithm] })
        return true
      } catch {
        // Another key may have signed the token.
      }
    }
    return false
  }

  /** Fetches the keys again. Concurrent calls share one fetch. */
  #refreshKeys(): Promise<void> {
    return (this.#refresh ??= this.#refreshInTime().finally(() => (this.#refresh = undefined)))
  }

  async #refreshInTime(): Promise<void> {
    const wait = this.#refreshedAt + refreshPauseMs - this.#clock.now()
    if (wait > 0) await pause(this.#clock, wait)
    this.#refreshedAt = this.#clock.now()
    await this.#fetchKeys()
  }

  async #fetchKeys(): Promise<void> {
    const { fetcher, metrics } = this.#options
    let body: string
    let keys: JsonValue | undefined
    try {
      const answer = await fetcher.get(this.#keySetUrl!)
      if (answer.status !== 200) throw new Error(`oidc: get keys failed: ${answer.status} ${answer.body.slice(0, 1024)}`)
      body = answer.body
      keys = parseObject(body, 'keys')['keys']
    } catch (error) {
      metrics?.countFailure()
      throw new Error(`failed to verify signature: fetching keys ${getErrorMessage(error)}`, { cause: error })
    }
    metrics?.countSuccess(body)
    this.#keys = (Array.isArray(keys) ? keys : [])
      .filter(isJsonObject)
      .slice(0, maxKeys)
      .map((jwk) => new Key(jwk as JWK))
  }

  async #discover(): Promise<void> {
    const { issuer, discoveryUrl, fetcher, log } = this.#options
    try {
      const { status, body } = await fetcher.get(discoveryUrl ?? `${trimRight(issuer, '/')}${wellKnownPath}`)
      if (status !== 200) throw new Error(`${status}: ${body.slice(0, 1024)}`)
      const document = parseObject(body, 'provider discovery object')
      if (document['issuer'] !== issuer) {
        const actual = typeof document['issuer'] === 'string' ? document['issuer'] : ''
        throw new Error(
          `oidc: issuer did not match the issuer returned by provider, expected ${JSON.stringify(issuer)} got ${JSON.stringify(actual)}`,
        )
      }
      const uri = document['jwks_uri']
      if (typeof uri !== 'string' || uri === '') throw new Error('provider did not return JWKS URL')
      this.#keySetUrl = new URL(uri).href
    } catch (error) {
      this.#problem = getErrorMessage(error)
      if (this.#isClosed) return
      log?.(`oidc authenticator: initializing plugin: ${getErrorMessage(error)}`)
      this.#cancel = this.#clock.after(discoveryPauseMs, () => void this.#discover())
    }
  }
}

/** Maximum number of keys of a provider, far above the usual number. */
const maxKeys = 256

export interface TokenHeader {
  readonly algorithm: string
  /** Key id (`kid`) of the token; "" if the header has none. */
  readonly keyId: string
}

class Key {
  readonly jwk: JWK
  readonly #imported = new Map<string, Promise<CryptoKey | undefined>>()

  constructor(jwk: JWK) {
    this.jwk = jwk
  }

  /** Imports the key for an algorithm. Returns undefined if the key does not support the algorithm. */
  import(algorithm: string): Promise<CryptoKey | undefined> {
    let imported = this.#imported.get(algorithm)
    if (imported === undefined) {
      imported = importJWK(this.jwk, algorithm).then(
        (key) => (key instanceof Uint8Array ? undefined : key),
        () => undefined,
      )
      this.#imported.set(algorithm, imported)
    }
    return imported
  }
}

function parseObject(text: string, description: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue
    if (isJsonObject(value)) return value
  } catch (error) {
    throw new Error(`oidc: failed to decode ${description}: ${getErrorMessage(error)}`, { cause: error })
  }
  throw new Error(`oidc: failed to decode ${description}: it is no object`)
}
