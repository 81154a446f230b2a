import { readFileSync, writeFileSync } from 'node:fs'

export interface Usage {
  readonly cpuSeconds: number
  readonly rssMiB: number
  readonly rssAnonMiB: number
  readonly peakRssMiB: number
  /** Resident memory of mapped files. The system can reclaim these pages of the embedded store at any time. */
  readonly rssFileMiB: number
}

const ticksPerSecond = 100

/**
 * Returns the processor time and the memory of a process. Reads /proc. Returns undefined if the process has ended or runs on another
 * machine.
 */
export function readUsage(pid: number | undefined): Usage | undefined {
  if (pid === undefined) return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the command in parentheses, which may contain any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const readMebibytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
      rssMiB: readMebibytes('VmRSS'),
      rssAnonMiB: readMebibytes('RssAnon'),
      peakRssMiB: readMebibytes('VmHWM'),
      rssFileMiB: readMebibytes('RssFile'),
    }
  } catch {
    return undefined
  }
}

/** Resets the peak memory of a process to its current memory. */
export function resetPeak(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // Not permitted for the process of another user, and not supported by other systems. The peak then counts from the start of the
    // process.
  }
}
