import { readFileSync, writeFileSync } from 'node:fs'

export interface Usage {
  readonly cpuSeconds: number
  readonly rssMiB: number
  readonly rssAnonMiB: number
  readonly peakRssMiB: number
  /** Mapped files: of the embedded store these are pages that the system takes back when it needs them. */
  readonly rssFileMiB: number
}

const ticksPerSecond = 100

/** From /proc; undefined for a process that is not on this machine or is gone. */
export function usageOf(pid: number | undefined): Usage | undefined {
  if (pid === undefined) return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the command in brackets and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const mebibytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
      rssMiB: mebibytes('VmRSS'),
      rssAnonMiB: mebibytes('RssAnon'),
      peakRssMiB: mebibytes('VmHWM'),
      rssFileMiB: mebibytes('RssFile'),
    }
  } catch {
    return undefined
  }
}

/** The peak is counted from now on. */
export function resetPeak(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // Of somebody else's process, or on another system: it stays the peak since its start.
  }
}
