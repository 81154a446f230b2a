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
/** Time after the last good status during which the seed may encrypt new values, in milliseconds. Reads have no time limit. */
const writeKeyLifetime = 180_000
const answerLifetimeHealthy = 20_000
const answerLifetimeUnhealthy = 3000
const versions: ReadonlySet<string> = new Set(['v2', 'v2beta1'])

/**
 * Monitors one KMS plugin by polling its status. Manages the seed that encrypts new values:
 *
 *     status ok, same key    the seed may be used for three more minutes
 *     status ok, other key   a new seed replaces it, encrypted by the plugin's new key
 *     anything else          the seed may be used until it expires; then writes fail until the next good status
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

  /** The current seed; undefined until the plugin has encrypted the first one. */
  get writeKey(): WriteKey | undefined {
    return this.#current?.key
  }

  /** Returns the current seed. Throws if there is none yet, or if it has expired because the plugin stopped responding. */
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

  /** Checks the plugin once, and then at intervals until `stop` is called. Resolves after the first check, even if the plugin does not run yet. */
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

  /**
   * Checks the health of the plugin. Rejects with the reason if it is unhealthy. Caches the result for some time. Concurrent calls share one
   * check.
   */
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
    // The time is read before the call, so that the seed does not expire too late.
    const expiresAt = this.#clock.now() + writeKeyLifetime
    let status
    try {
      status = await this.#service.getStatus()
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
      // The plugin changed its key between the two calls, or is inconsistent. The seed is not used, and the next status check tries again.
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

/** Returns the hash of a key id. Logs contain only the hash, because key ids must not be logged. */
function hashKeyId(keyId: string): string {
  return keyId === '' ? '' : `sha256:${createHash('sha256').update(keyId).digest('hex')}`
}
