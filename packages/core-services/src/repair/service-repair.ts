import type { Service } from '@keelson/api/core/v1'
import { pause } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { LoopbackClient } from '@keelson/loopback'
import { CachedObjects } from '../allocation/cached-objects.ts'
import type { ServiceAllocators } from '../allocation/service-allocators.ts'
import { IPRepair } from './ip-repair.ts'
import { PortRepair } from './port-repair.ts'

export interface ServiceRepairOptions {
  readonly allocators: ServiceAllocators
  readonly client: LoopbackClient
  readonly clock: Clock
  readonly report: (text: string) => void
  /** Interval between runs. Default 3 minutes. */
  readonly intervalMs?: number
}

/** Periodically releases leaked addresses and ports, and restores missing allocations of services. */
export class ServiceRepair implements AsyncDisposable {
  readonly #options: ServiceRepairOptions
  readonly #services: CachedObjects<Service>
  readonly #ips: IPRepair
  readonly #ports: PortRepair
  readonly #stop = new AbortController()
  #running: Promise<unknown> = Promise.resolve()

  constructor(options: ServiceRepairOptions) {
    const { client, allocators, clock, report } = options
    const onError = (error: unknown): void => report(`services cannot be watched: ${String(error)}`)
    const services = new CachedObjects<Service>({ client, resource: { group: '', resource: 'services' }, onError })
    this.#options = options
    this.#services = services
    this.#ips = new IPRepair({ allocators, services, clock, report })
    this.#ports = new PortRepair({ allocators, services, clock, report })
  }

  /** Resolves after the first run. Node ports are not allocated before that. */
  async start(): Promise<void> {
    const [firstWait] = await Promise.all([this.#ips.run(), this.#ports.run()])
    this.#running = Promise.all([this.#repeat(() => this.#ips.run(), firstWait), this.#repeat(() => this.#ports.run())])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#services[Symbol.asyncDispose]()
  }

  async #repeat(run: () => Promise<number | void>, first?: number): Promise<void> {
    const { clock, report, intervalMs = 180_000 } = this.#options
    const { signal } = this.#stop
    let wait: number | void = first
    for (;;) {
      await pause(clock, Math.min(intervalMs, wait ?? intervalMs), { signal })
      if (signal.aborted) return
      try {
        wait = await run()
      } catch (error) {
        wait = undefined
        report(`services could not be repaired: ${String(error)}`)
      }
    }
  }
}
