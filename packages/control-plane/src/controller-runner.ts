import type { ControllersOptions, RunningControllers } from '@keelson/controllers'
import type { LoopbackClient } from '@keelson/loopback'
import { ConfigurationError } from './configuration-error.ts'
import { storageDefaults } from './options/storage.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

/** Returns the `--controllers` list. Default: all controllers; none with etcd, because a controller manager may run them. */
export function listEnabledControllers({ controllers, storage }: ServerChainOptions): readonly string[] {
  const { type, enableGarbageCollection } = { ...storageDefaults, ...storage }
  const enabled = controllers ?? (type === 'etcd3' ? ['none'] : ['*'])
  return enableGarbageCollection || enabled.includes('none') ? enabled : [...enabled, '-garbage-collector-controller']
}

interface RunnerOptions extends Pick<
  ControllersOptions,
  'clock' | 'informers' | 'rootCA' | 'types' | 'remoteContent' | 'onError' | 'metrics'
> {
  /** Called for each enabled controller that is skipped because its resources are not served. */
  readonly onSkipped: (name: string) => void
}

type Start = (client: LoopbackClient, options: ControllersOptions) => RunningControllers

/**
 * Starts the enabled controllers after the server and stops them before the store closes. Loads their code only if a controller is enabled.
 */
export class ControllerRunner {
  readonly #enabled: readonly string[]
  readonly #start: Start | undefined
  readonly #selected: Iterable<string>
  #running: RunningControllers | undefined
  #isStopped = false

  private constructor(enabled: readonly string[], start?: Start, selected: Iterable<string> = []) {
    this.#enabled = enabled
    this.#start = start
    this.#selected = selected
  }

  /** Creates the runner. `enabled` has the syntax of `--controllers`. Throws `ConfigurationError` for unknown controller names. */
  static async create(enabled: readonly string[]): Promise<ControllerRunner> {
    if (enabled.length === 1 && enabled[0] === 'none') return new ControllerRunner(enabled)
    const { controllerNames, selectControllers, startControllers } = await import('@keelson/controllers')
    try {
      return new ControllerRunner(enabled, startControllers, selectControllers(enabled, controllerNames))
    } catch (error) {
      throw new ConfigurationError(`--controllers: ${(error as Error).message}`, { cause: error })
    }
  }

  /** Names of the running controllers. */
  get names(): readonly string[] {
    return this.#running?.names ?? []
  }

  /** Starts the controllers. Has no effect after `stop`. */
  start(client: LoopbackClient, { onSkipped, ...options }: RunnerOptions): void {
    if (this.#isStopped) return
    this.#running = this.#start?.(client, { ...options, enabled: this.#enabled })
    if (this.#running === undefined) return
    for (const name of this.#selected) if (!this.#running.names.includes(name)) onSkipped(name)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running?.[Symbol.asyncDispose]()
    this.#running = undefined
  }
}
