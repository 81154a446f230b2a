import { readFileSync } from 'node:fs'

export interface ProcessMemory {
  /** Resident megabytes, including mapped files. */
  readonly rss: number
  /** Resident megabytes without mapped files. */
  readonly rssAnon: number
}

/** Returns the memory of a process. Only works on Linux. */
export function readProcessMemory(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
  return { rss: megabytes('VmRSS'), rssAnon: megabytes('RssAnon') }
}
