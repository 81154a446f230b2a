import { TimeSlice } from '@keelson/apimachinery'
import { needsHealthCheck, specOf } from '@keelson/resources-core'
import type { ReadonlyService } from '@keelson/resources-core'
import { Bitmap } from '../allocation/bitmap.ts'
import { isInPortRange } from '../allocation/port-range.ts'
import type { RepairOptions } from './ip-repair.ts'

/** A port that no service has is freed when it was so this many times in a row: it may be a service's that is about to be written, or is not known yet. */
const looksBeforeCleanup = 3

/** Makes the RangeAllocation of node ports say what services have: the first, and what a crash left. */
export class PortRepair {
  readonly #options: RepairOptions
  /** Port → how many more looks it is kept for. */
  readonly #leaks = new Map<number, number>()

  constructor(options: RepairOptions) {
    this.#options = options
  }

  /** Begins anew when ports are given meanwhile. */
  async run(): Promise<void> {
    for (let tries = 0; tries < 10; tries++) if (await this.#runOnce()) return
    throw new Error('node ports are given too fast to be repaired')
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
      const who = `service ${service.metadata.namespace}/${service.metadata.name}`
      for (const port of portsOf(service)) {
        if (!isInPortRange(range, port)) report(`the node port ${port} of ${who} is not within the port range; please recreate the service`)
        else if (!rebuilt.add(port - range.first)) report(`the node port ${port} of ${who} was assigned twice; please recreate the service`)
        else if (state.isCurrent && !state.bitmap.has(port - range.first))
          report(`the node port ${port} of ${who} is not allocated; repairing`)
      }
    }
    const leaks = this.#keepForAWhile(rebuilt, state.bitmap)
    if (state.isCurrent && state.bitmap.toBase64() === rebuilt.toBase64()) return this.#commit(leaks)
    return (await registry.replace(rebuilt, state)) && this.#commit(leaks)
  }

  /** Ports without a service stay taken for some looks more. */
  #keepForAWhile(rebuilt: Bitmap, stored: Bitmap): ReadonlyMap<number, number> {
    const leaks = new Map<number, number>()
    for (const offset of stored) {
      if (rebuilt.has(offset)) continue
      const left = this.#leaks.get(offset) ?? looksBeforeCleanup - 1
      if (left > 0) {
        rebuilt.add(offset)
        leaks.set(offset, left - 1)
      } else
        this.#options.report(`the node port ${this.#options.allocators.ports.range.first + offset} appears to have leaked; cleaning up`)
    }
    return leaks
  }

  #commit(leaks: ReadonlyMap<number, number>): true {
    this.#leaks.clear()
    for (const [offset, left] of leaks) this.#leaks.set(offset, left)
    return true
  }
}

/** Each once for all protocols that share it. */
function portsOf(service: ReadonlyService): readonly number[] {
  const spec = specOf(service)
  const ports: number[] = []
  const protocols = new Set<string>()
  for (const { nodePort = 0, protocol = '' } of spec.ports ?? []) {
    const again = protocols.has(`${nodePort} ${protocol}`)
    protocols.add(`${nodePort} ${protocol}`)
    if (nodePort !== 0 && (again || !ports.includes(nodePort))) ports.push(nodePort)
  }
  return needsHealthCheck(spec) && spec.healthCheckNodePort ? [...ports, spec.healthCheckNodePort] : ports
}
