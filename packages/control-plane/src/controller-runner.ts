import type { ControllersOptions, RunningControllers } from '@keelson/controllers'
import type { LoopbackClient } from '@keelson/loopback'
import { ConfigurationError } from './configuration-error.ts'
import type { ServerChainOptions } from './server-chain-options.ts'

/** The controllers of a store that may be shared can run elsewhere. */
export function wantedControllers({ controllers, storage, enableGarbageCollection = true }: ServerChainOptions): readonly string[] {
  const wanted = controllers ?? (storage?.type === 'etcd3' ? ['none'] : ['*'])
  return enableGarbageCollection || wanted.includes('none') ? wanted : [...wanted, '-garbage-collector-controller']
}

type Start = (client: LoopbackClient, options: ControllersOptions) => RunningControllers

/** Starts the controllers when the server is up, ends them before the store closes. Their code is not loaded when none is wanted. */
export class ControllerRunner {
  readonly #enabled: readonly string[]
  readonly #start: Start | undefined
  #running: RunningControllers | undefined

  private constructor(enabled: readonly string[], start: Start | undefined) {
    this.#enabled = enabled
    this.#start = start
  }

  /** `enabled` as `--controllers` takes it. Throws `ConfigurationError` for names that are not known. */
  static async create(enabled: readonly string[]): Promise<ControllerRunner> {
    if (enabled.length === 1 && enabled[0] === 'none') return new ControllerRunner(enabled, undefined)
    const { controllerNames, selectControllers, startControllers } = await import('@keelson/controllers')
    try {
      selectControllers(enabled, controllerNames)
    } catch (error) {
      throw new ConfigurationError(`--controllers: ${(error as Error).message}`, { cause: error })
    }
    return new ControllerRunner(enabled, startControllers)
  }

  start(client: LoopbackClient, options: Pick<ControllersOptions, 'clock' | 'informers' | 'rootCA' | 'onError' | 'metrics'>): void {
    this.#running = this.#start?.(client, { ...options, enabled: this.#enabled })
  }

  async stop(): Promise<void> {
    await this.#running?.[Symbol.asyncDispose]()
    this.#running = undefined
  }
}
