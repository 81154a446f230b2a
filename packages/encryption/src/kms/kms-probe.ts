import { createHash } from 'node:crypto'
import { aggregateMessages } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { checkKeyId } from './encrypted-object.ts'
import type { KmsService } from './kms-client.ts'
import type { StatusResponse } from './kms-messages.ts'
import { createWriteKey } from './write-key.ts'
import type { WriteKey } from './write-key.ts'

const healthyInterval = 60_000
const unhealthyInterval = 10_000
/** Time in milliseconds after the last good status during which writes are allowed. Reads have no limit. */
const writeKeyLifetime = 180_000
const answerLifetimeHealthy = 20_000
const answerLifetimeUnhealthy = 3000
const versions: ReadonlySet<string> = new Set(['v2', 'v2beta1'])

/**
 * Monitors one plugin: polls its status, creates a new seed when its key changes, and expires the seed when the plugin stops answering.
 *      status ok, same key    the seed is good for 3 more minutes     status ok, other key   a new seed, wrapped under the new key
 * anything else          the old seed is used until it expires; then writes fail until the next good status
 */
export class KmsProbe {
  readonly #name: string
  readonly #service: KmsService
  readonly #clock: Clock
  #current: { readonly key: WriteKey; readonly expiresAt: number } | undefined
  #version: string | undefined
  #last: { readonly at: number; readonly error: Error | undefined } | undefined
  #checking: Promise<void> | undefined
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(name: string, service: KmsService, clock: Clock) {
    this.#name = name
    this.#service = service
    this.#clock = clock
  }

  /** The current seed; undefined until the plugin has encrypted a first one. */
  get writeKey(): WriteKey | undefined {
    return this.#current?.key
  }

  /** Returns the current seed. Throws if there is none yet, or if it has expired because the plugin stopped answering. */
  requireWriteKey(): WriteKey {
    if (this.#current === undefined) throw new Error(`kmsv2 Provider ${this.#name} is not ready: the plugin has not wrapped a key yet`)
    const { key, expiresAt } = this.#current
    const now = this.#clock.now()
    if (now > expiresAt) {
      const [expired, current] = [expiresAt, now].map((time) => new Date(time).toISOString())
      throw new Error(
        `encryptedDEKSource with keyID hash "${hashKeyId(key.wrapped.keyID)}" expired at ${expired} (current time is ${current})`,
      )
    }
    return key
  }

  /** Checks the plugin once, then at intervals until `stop`. Resolves even if the plugin is not running yet. */
  async start(): Promise<void> {
    const failed = await this.check().then(
      () => false,
      () => true,
    )
    this.#schedule(failed)
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  /** Rejects with the reason while the plugin is unhealthy. Caches the result for a while; concurrent calls share one check. */
  async check(): Promise<void> {
    const last = this.#last
    if (last !== undefined && this.#clock.now() - last.at < (last.error ? answerLifetimeUnhealthy : answerLifetimeHealthy)) {
      if (last.error) throw last.error
      return
    }
    this.#checking ??= this.#runCheck().finally(() => (this.#checking = undefined))
    return this.#checking
  }

  #schedule(failed: boolean): void {
    if (this.#stopped) return
    this.#cancel = this.#clock.after(failed ? unhealthyInterval : healthyInterval, () => void this.start())
  }

  async #runCheck(): Promise<void> {
    try {
      await this.#checkPlugin()
      this.#last = { at: this.#clock.now(), error: undefined }
    } catch (error) {
      this.#last = { at: this.#clock.now(), error: error as Error }
      throw error
    }
  }

  async #checkPlugin(): Promise<void> {
    // Read before the call, so that the lifetime is an upper bound.
    const expiresAt = this.#clock.now() + writeKeyLifetime
    let status
    try {
      status = await this.#service.status()
    } catch (cause) {
      const reason = (cause as Error).message
      throw new Error(`failed to perform status section of the healthz check for KMS Provider ${this.#name}, error: ${reason}`, { cause })
    }
    const problems = this.#checkStatus(status)
    const keyIdProblem = checkKeyId(status.keyId)
    if (keyIdProblem === undefined) {
      const failure = await this.#rotate(status.keyId, expiresAt)
      if (failure !== undefined) problems.push(failure)
    } else problems.push(`got invalid KMSv2 KeyID hash "${hashKeyId(status.keyId)}": ${keyIdProblem}`)
    if (problems.length > 0) {
      throw new Error(`kmsv2 Provider ${this.#name} is not healthy, error: ${aggregateMessages(problems)}`)
    }
  }

  #checkStatus({ version, healthz }: StatusResponse): string[] {
    const problems: string[] = []
    if (healthz !== 'ok') problems.push(`got unexpected healthz status: ${healthz}`)
    if (!versions.has(version)) problems.push(`expected KMSv2 API version v2, got ${version}`)
    else if ((this.#version ??= version) !== version) {
      problems.push(`KMSv2 API version should not change after the initial status response version ${this.#version}, got ${version}`)
    }
    return problems
  }

  async #rotate(keyId: string, expiresAt: number): Promise<string | undefined> {
    if (this.#current?.key.wrapped.keyID === keyId) {
      this.#current = { key: this.#current.key, expiresAt }
      return undefined
    }
    try {
      const key = await createWriteKey(this.#service)
      // The plugin changed its key between the two calls, or is inconsistent. Waits for the next status.
      if (key.wrapped.keyID !== keyId) {
        return `failed to rotate DEK: statusKeyIDHash="${hashKeyId(keyId)}", encryptKeyIDHash="${hashKeyId(key.wrapped.keyID)}"`
      }
      this.#current = { key, expiresAt }
      return undefined
    } catch (error) {
      return `failed to rotate DEK: ${(error as Error).message}`
    }
  }
}

/** Returns the hash of a key id for logs, which must not contain key ids. */
function hashKeyId(keyId: string): string {
  return keyId === '' ? '' : `sha256:${createHash('sha256').update(keyId).digest('hex')}`
}
