import { TimeSlice } from '@keelson/apimachinery'
import { needsHealthCheck, getSpec } from '@keelson/resources-core'
import type { ReadonlyService } from '@keelson/resources-core'
import { Bitmap } from '../allocation/bitmap.ts'
import { isInPortRange } from '../allocation/port-range.ts'
import type { RepairOptions } from './ip-repair.ts'

/** Number of repair runs after which a port without a service is released. Until then, its service may not be written or cached yet. */
const runsBeforeCleanup = 3

/** Reconciles the RangeAllocation of node ports with the services. It creates the object and releases ports that were leaked by a crash. */
export class PortRepair {
  readonly #options: RepairOptions
  /** Remaining runs before a leaked port is released, by offset. */
  readonly #leaks = new Map<number, number>()

  constructor(options: RepairOptions) {
    this.#options = options
  }

  /** Runs one repair. Retries if ports are allocated concurrently. */
  async run(): Promise<void> {
    for (let tries = 0; tries < 10; tries++) if (await this.#runOnce()) return
    throw new Error('node ports change too fast to be repaired')
  }

  async #runOnce(): Promise<boolean> {
    const { allocators, services, report } = this.#options
    const { range, registry } = allocators.ports
    await services.synced()
    const state = await registry.read()
    const rebuilt = new Bitmap(range.last - range.first + 1)
    const slice = new TimeSlice(10)
    for (const service of services.values()) {
      await slice.pauseIfOver()
      const subject = `service ${service.metadata.namespace}/${service.metadata.name}`
      for (const port of collectPorts(service)) {
        if (!isInPortRange(range, port))
          report(`the node port ${port} of ${subject} is not within the port range; please recreate the service`)
        else if (!rebuilt.add(port - range.first))
          report(`the node port ${port} of ${subject} was assigned twice; please recreate the service`)
        else if (state.isCurrent && !state.bitmap.has(port - range.first))
          report(`the node port ${port} of ${subject} is not allocated; repairing`)
      }
    }
    const leaks = this.#keepLeakedPorts(rebuilt, state.bitmap)
    if (state.isCurrent && state.bitmap.toBase64() === rebuilt.toBase64()) return this.#commit(leaks)
    return (await registry.replace(rebuilt, state)) && this.#commit(leaks)
  }

  /** Keeps ports without a service allocated for a few more runs. */
  #keepLeakedPorts(rebuilt: Bitmap, stored: Bitmap): ReadonlyMap<number, number> {
    const leaks = new Map<number, number>()
    for (const offset of stored) {
      if (rebuilt.has(offset)) continue
      const remaining = this.#leaks.get(offset) ?? runsBeforeCleanup - 1
      if (remaining > 0) {
        rebuilt.add(offset)
        leaks.set(offset, remaining - 1)
      } else
        this.#options.report(`the node port ${this.#options.allocators.ports.range.first + offset} appears to have leaked; cleaning up`)
    }
    return leaks
  }

  #commit(leaks: ReadonlyMap<number, number>): true {
    this.#leaks.clear()
    for (const [offset, remaining] of leaks) this.#leaks.set(offset, remaining)
    return true
  }
}

/** Returns each port once, even if several protocols share it. */
function collectPorts(service: ReadonlyService): readonly number[] {
  const spec = getSpec(service)
  const ports: number[] = []
  const protocols = new Set<string>()
  for (const { nodePort = 0, protocol = '' } of spec.ports ?? []) {
    const isRepeated = protocols.has(`${nodePort} ${protocol}`)
    protocols.add(`${nodePort} ${protocol}`)
    if (nodePort !== 0 && (isRepeated || !ports.includes(nodePort))) ports.push(nodePort)
  }
  return needsHealthCheck(spec) && spec.healthCheckNodePort ? [...ports, spec.healthCheckNodePort] : ports
}
