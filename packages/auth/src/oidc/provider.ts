import { isJsonObject, messageOf, pause, systemClock, trimRight } from '@keelson/apimachinery'
import type { Clock, JsonObject, JsonValue } from '@keelson/apimachinery'
import { importJWK } from 'jose/key/import'
import { compactVerify } from 'jose/jws/compact/verify'
import type { CryptoKey, JWK } from 'jose'
import type { DocumentFetcher } from './document-fetcher.ts'
import type { JwksMetrics } from './jwt-metrics.ts'

export interface ProviderOptions {
  readonly issuer: string
  /** Replaces the URL of the discovery document. */
  readonly discoveryUrl?: string
  readonly fetcher: DocumentFetcher
  readonly clock?: Clock
  readonly metrics?: JwksMetrics | undefined
  readonly log?: ((text: string) => void) | undefined
}

const wellKnownPath = '/.well-known/openid-configuration'
/** Pause after a failed discovery, ms. */
const discoveryPauseMs = 10_000
/** The keys are fetched at most once in this time, ms: anyone may send tokens with unknown keys. They wait for the next time. */
const refreshPauseMs = 1000

/**
 * An identity provider: discovers where its keys are, in the background and until it succeeds, and verifies signatures. Keys are fetched
 * when a token has an unknown one, so that new keys work at once.
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

  /** The reason for which the provider is not ready. */
  get problem(): string | undefined {
    return this.#keySetUrl === undefined ? this.#problem : undefined
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#cancel?.()
  }

  /** Verifies the signature of a token whose header names an allowed algorithm. Rejects with kube-apiserver's words. */
  async verify(token: string, { algorithm, keyId }: TokenHeader): Promise<void> {
    const tried = this.#keys
    if (await this.#hasSignature(token, { algorithm, keyId })) return
    // Another request may have fetched the keys in the meantime.
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
        // Another key may have signed it.
      }
    }
    return false
  }

  /** Requests that come before or while keys are fetched share the result. */
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
      metrics?.failed()
      throw new Error(`failed to verify signature: fetching keys ${messageOf(error)}`, { cause: error })
    }
    metrics?.succeeded(body)
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
        const found = typeof document['issuer'] === 'string' ? document['issuer'] : ''
        throw new Error(
          `oidc: issuer did not match the issuer returned by provider, expected ${JSON.stringify(issuer)} got ${JSON.stringify(found)}`,
        )
      }
      const uri = document['jwks_uri']
      if (typeof uri !== 'string' || uri === '') throw new Error('provider did not return JWKS URL')
      this.#keySetUrl = new URL(uri).href
    } catch (error) {
      this.#problem = messageOf(error)
      if (this.#isClosed) return
      log?.(`oidc authenticator: initializing plugin: ${messageOf(error)}`)
      this.#cancel = this.#clock.after(discoveryPauseMs, () => void this.#discover())
    }
  }
}

/** More keys than any provider has. */
const maxKeys = 256

export interface TokenHeader {
  readonly algorithm: string
  /** "" if the token does not name its key. */
  readonly keyId: string
}

class Key {
  readonly jwk: JWK
  readonly #imported = new Map<string, Promise<CryptoKey | undefined>>()

  constructor(jwk: JWK) {
    this.jwk = jwk
  }

  /** Undefined if the key is not one for the algorithm. */
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

function parseObject(text: string, what: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue
    if (isJsonObject(value)) return value
  } catch (error) {
    throw new Error(`oidc: failed to decode ${what}: ${messageOf(error)}`, { cause: error })
  }
  throw new Error(`oidc: failed to decode ${what}: it is no object`)
}
