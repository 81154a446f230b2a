import { cpus, loadavg, totalmem } from 'node:os'

/** Time of a measurement, and facts about the machine. */
export interface MeasuredOn {
  readonly time: string
  readonly node: string
  readonly cpu: string
  readonly memoryGiB: number
  readonly loadAverage: readonly number[]
}

export function describeMachine(): MeasuredOn {
  return {
    time: new Date().toISOString(),
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    loadAverage: loadavg(),
  }
}

/** Formats the machine for a terminal. */
export function formatMachine({ cpu, node, loadAverage }: MeasuredOn): string {
  return `${cpu}, node ${node}, load ${loadAverage.map((load) => load.toFixed(1)).join(' ')}`
}
