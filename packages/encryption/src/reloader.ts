import type { Clock } from '@keelson/apimachinery'
import { loadConfiguration } from './load-configuration.ts'
import type { LoadedConfiguration } from './load-configuration.ts'
import { checkAll, closeAll, computeGraceMs } from './kms/kms-providers.ts'

const pollPeriod = 60_000
const minHealthPatience = 10_000
const healthPause = 100

export interface ReloaderOptions {
  readonly file: string
  readonly clock: Clock
  /** Called if a poll fails. Not called if the previous poll failed with the same message. */
  readonly onError: (error: unknown) => void
  readonly onReload: (hash: string) => void
}

/**
 * Reloads the configuration when its file changes. Reads the contents once a minute, because editors and mounted secrets replace files in ways
 * that file notifications miss. Keeps the previous configuration if the file is invalid or one of its KMS plugins is unhealthy.
 */
export class Reloader {
  readonly #options: ReloaderOptions
  #current: LoadedConfiguration
  #problem = ''
  #cancel: (() => void) | undefined
  #retiring = new Map<LoadedConfiguration, () => void>()
  #closed = false

  constructor(initial: LoadedConfiguration, options: ReloaderOptions) {
    this.#current = initial
    this.#options = options
    this.#schedule()
  }

  get current(): LoadedConfiguration {
    return this.#current
  }

  close(): void {
    this.#closed = true
    this.#cancel?.()
    for (const [old, cancel] of this.#retiring) {
      cancel()
      closeAll(old.kms)
    }
    this.#retiring.clear()
    closeAll(this.#current.kms)
  }

  /** Reads the file now and activates its configuration if it has changed. Never rejects. */
  async poll(): Promise<void> {
    const { file, clock, onError, onReload } = this.#options
    let newConfiguration: LoadedConfiguration | undefined
    try {
      newConfiguration = await loadConfiguration(file, { reload: true, clock, known: this.#current.hash })
      if (newConfiguration !== undefined) {
        await this.#untilHealthy(newConfiguration)
        if (this.#closed) return closeAll(newConfiguration.kms)
        this.#replace(newConfiguration)
        onReload(newConfiguration.hash)
      }
      this.#problem = ''
    } catch (error) {
      if (newConfiguration !== undefined) closeAll(newConfiguration.kms)
      const problem = String(error)
      if (problem !== this.#problem) onError(error)
      this.#problem = problem
    }
  }

  #schedule(): void {
    if (this.#closed) return
    this.#cancel = this.#options.clock.after(pollPeriod, () => void this.poll().then(() => this.#schedule()))
  }

  /** Activates a configuration. Closes the providers of the previous one later, because they may have pending calls. */
  #replace(next: LoadedConfiguration): void {
    const old = this.#current
    this.#current = next
    const retire = (): void => {
      this.#retiring.delete(old)
      closeAll(old.kms)
    }
    this.#retiring.set(old, this.#options.clock.after(computeGraceMs(old.kms), retire))
  }

  async #untilHealthy(next: LoadedConfiguration): Promise<void> {
    const { clock } = this.#options
    const deadline = clock.now() + Math.max(minHealthPatience, computeGraceMs(next.kms))
    for (;;) {
      try {
        return await checkAll(next.kms)
      } catch (error) {
        if (this.#closed || clock.now() >= deadline) {
          throw new Error(`health check for new transformers failed: ${(error as Error).message}`, { cause: error })
        }
      }
      await new Promise<void>((resolve) => void clock.after(healthPause, resolve))
    }
  }
}
