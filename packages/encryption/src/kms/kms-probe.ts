import { createHash } from 'node:crypto'
import { aggregateMessages } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { complaintAboutKeyId } from './encrypted-object.ts'
import type { KmsService } from './kms-client.ts'
import type { StatusResponse } from './kms-messages.ts'
import { createWriteKey } from './write-key.ts'
import type { WriteKey } from './write-key.ts'

const healthyInterval = 60_000
const unhealthyInterval = 10_000
/** After the last good status, writing goes on for so long. Reading is not limited. */
const writeKeyLifetime = 180_000
const answerLifetimeHealthy = 20_000
const answerLifetimeUnhealthy = 3000
const versions: ReadonlySet<string> = new Set(['v2', 'v2beta1'])

/**
 * Watches one plugin: asks for its status, makes a new seed when its key has changed, and lets the seed expire when nothing is heard.
 *
 *     status ok, same key    the seed is good for 3 more minutes
 *     status ok, other key   a new seed, wrapped under the new key
 *     anything else          the old seed is used until it expires; then writes fail, and a good status revives it
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

  /** Undefined until the plugin has wrapped a first seed. */
  get writeKey(): WriteKey | undefined {
    return this.#current?.key
  }

  /** Throws when nothing may be written: there was no seed yet, or nothing was heard of the plugin for too long. */
  requireWriteKey(): WriteKey {
    if (this.#current === undefined) throw new Error(`kmsv2 Provider ${this.#name} is not ready: there is no key to write with yet`)
    const { key, expiresAt } = this.#current
    const now = this.#clock.now()
    if (now > expiresAt) {
      const [expired, current] = [expiresAt, now].map((time) => new Date(time).toISOString())
      throw new Error(
        `encryptedDEKSource with keyID hash "${hashOf(key.wrapped.keyID)}" expired at ${expired} (current time is ${current})`,
      )
    }
    return key
  }

  /** The first check; a plugin that is not there yet is no failure. Then at intervals, until `stop`. */
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

  /** Rejects with the reason while the plugin is not healthy. An answer is good for a while; calls at once share one. */
  async check(): Promise<void> {
    const last = this.#last
    if (last !== undefined && this.#clock.now() - last.at < (last.error ? answerLifetimeUnhealthy : answerLifetimeHealthy)) {
      if (last.error) throw last.error
      return
    }
    this.#checking ??= this.#ask().finally(() => (this.#checking = undefined))
    return this.#checking
  }

  #schedule(failed: boolean): void {
    if (this.#stopped) return
    this.#cancel = this.#clock.after(failed ? unhealthyInterval : healthyInterval, () => void this.start())
  }

  async #ask(): Promise<void> {
    try {
      await this.#askStatus()
      this.#last = { at: this.#clock.now(), error: undefined }
    } catch (error) {
      this.#last = { at: this.#clock.now(), error: error as Error }
      throw error
    }
  }

  async #askStatus(): Promise<void> {
    // From before the call: the lifetime is the upper bound.
    const expiresAt = this.#clock.now() + writeKeyLifetime
    let status
    try {
      status = await this.#service.status()
    } catch (cause) {
      const reason = (cause as Error).message
      throw new Error(`failed to perform status section of the healthz check for KMS Provider ${this.#name}, error: ${reason}`, { cause })
    }
    const complaints = this.#complaintsAbout(status)
    const keyIdComplaint = complaintAboutKeyId(status.keyId)
    if (keyIdComplaint === undefined) {
      const failure = await this.#rotate(status.keyId, expiresAt)
      if (failure !== undefined) complaints.push(failure)
    } else complaints.push(`got invalid KMSv2 KeyID hash "${hashOf(status.keyId)}": ${keyIdComplaint}`)
    if (complaints.length > 0) {
      throw new Error(`kmsv2 Provider ${this.#name} is not healthy, error: ${aggregateMessages(complaints)}`)
    }
  }

  #complaintsAbout({ version, healthz }: StatusResponse): string[] {
    const complaints: string[] = []
    if (healthz !== 'ok') complaints.push(`got unexpected healthz status: ${healthz}`)
    if (!versions.has(version)) complaints.push(`expected KMSv2 API version v2, got ${version}`)
    else if ((this.#version ??= version) !== version) {
      complaints.push(`KMSv2 API version should not change after the initial status response version ${this.#version}, got ${version}`)
    }
    return complaints
  }

  async #rotate(keyId: string, expiresAt: number): Promise<string | undefined> {
    if (this.#current?.key.wrapped.keyID === keyId) {
      this.#current = { key: this.#current.key, expiresAt }
      return undefined
    }
    try {
      const key = await createWriteKey(this.#service)
      // The plugin changed its key between the two calls, or does not know its own mind: the next status decides.
      if (key.wrapped.keyID !== keyId) {
        return `failed to rotate DEK: statusKeyIDHash="${hashOf(keyId)}", encryptKeyIDHash="${hashOf(key.wrapped.keyID)}"`
      }
      this.#current = { key, expiresAt }
      return undefined
    } catch (error) {
      return `failed to rotate DEK: ${(error as Error).message}`
    }
  }
}

/** Key ids are not told to whoever reads a log. */
function hashOf(keyId: string): string {
  return keyId === '' ? '' : `sha256:${createHash('sha256').update(keyId).digest('hex')}`
}
