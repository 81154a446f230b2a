import { readFileSync, writeFileSync } from 'node:fs'

export interface Usage {
  readonly cpuSeconds: number
  readonly rssMiB: number
  readonly rssAnonMiB: number
  readonly peakRssMiB: number
  /** Mapped files. For the embedded store, the system can reclaim these pages at any time. */
  readonly rssFileMiB: number
}

const ticksPerSecond = 100

/** Reads /proc. Returns undefined if the process ended or runs on another machine. */
export function readUsage(pid: number | undefined): Usage | undefined {
  if (pid === undefined) return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the command in parentheses, which may contain any character.
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

/** Resets the peak. */
export function resetPeak(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // Not permitted for another user's process, or on another system: the peak then counts from its start.
  }
}
