import type { RunningControllers } from '@keelson/controllers'
import type { LoopbackClient } from '@keelson/loopback'
import { ConfigurationError } from './configuration-error.ts'

export interface ControllerRunnerOptions {
  readonly enabled: readonly string[]
  /** PEM, as published to every namespace. */
  readonly rootCA: string
  readonly onError: (controller: string, error: unknown) => void
}

/** Starts the controllers when the server is up, ends them before the store closes. Not loaded when none is wanted. */
export class ControllerRunner {
  readonly #client: LoopbackClient
  readonly #options: ControllerRunnerOptions
  #running: RunningControllers | undefined

  constructor(client: LoopbackClient, options: ControllerRunnerOptions) {
    this.#client = client
    this.#options = options
  }

  async start(): Promise<void> {
    const { enabled } = this.#options
    if (enabled.length === 1 && enabled[0] === 'none') return
    const { startControllers } = await import('@keelson/controllers')
    try {
      this.#running = startControllers(this.#client, this.#options)
    } catch (error) {
      throw new ConfigurationError(`--controllers: ${(error as Error).message}`, { cause: error })
    }
  }

  async stop(): Promise<void> {
    await this.#running?.[Symbol.asyncDispose]()
    this.#running = undefined
  }
}
