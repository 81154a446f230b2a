import type { ControllersOptions, RunningControllers } from '@keelson/controllers'
import type { LoopbackClient } from '@keelson/loopback'
import { ConfigurationError } from './configuration-error.ts'
import type { ServerChainOptions } from './server-chain-options.ts'

/** The controllers of a store that may be shared can run elsewhere. */
export function wantedControllers({ controllers, storage, enableGarbageCollection = true }: ServerChainOptions): readonly string[] {
  const wanted = controllers ?? (storage?.type === 'etcd3' ? ['none'] : ['*'])
  return enableGarbageCollection || wanted.includes('none') ? wanted : [...wanted, '-garbage-collector-controller']
}

interface RunnerOptions extends Pick<ControllersOptions, 'clock' | 'informers' | 'rootCA' | 'onError' | 'metrics'> {
  /** Called with each controller that is enabled and finds no resource to work on. */
  readonly onSkipped: (name: string) => void
}

type Start = (client: LoopbackClient, options: ControllersOptions) => RunningControllers

/** Starts the controllers when the server is up, ends them before the store closes. Their code is not loaded when none is wanted. */
export class ControllerRunner {
  readonly #enabled: readonly string[]
  readonly #start: Start | undefined
  readonly #selected: Iterable<string>
  #running: RunningControllers | undefined

  private constructor(enabled: readonly string[], start?: Start, selected: Iterable<string> = []) {
    this.#enabled = enabled
    this.#start = start
    this.#selected = selected
  }

  /** `enabled` as `--controllers` takes it. Throws `ConfigurationError` for names that are not known. */
  static async create(enabled: readonly string[]): Promise<ControllerRunner> {
    if (enabled.length === 1 && enabled[0] === 'none') return new ControllerRunner(enabled)
    const { controllerNames, selectControllers, startControllers } = await import('@keelson/controllers')
    try {
      return new ControllerRunner(enabled, startControllers, selectControllers(enabled, controllerNames))
    } catch (error) {
      throw new ConfigurationError(`--controllers: ${(error as Error).message}`, { cause: error })
    }
  }

  start(client: LoopbackClient, { onSkipped, ...options }: RunnerOptions): void {
    this.#running = this.#start?.(client, { ...options, enabled: this.#enabled })
    if (this.#running === undefined) return
    for (const name of this.#selected) if (!this.#running.names.includes(name)) onSkipped(name)
  }

  async stop(): Promise<void> {
    await this.#running?.[Symbol.asyncDispose]()
    this.#running = undefined
  }
}
