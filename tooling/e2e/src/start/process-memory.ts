import { readFileSync } from 'node:fs'

export interface ProcessMemory {
  /** Megabytes in memory, mapped files included. */
  readonly rss: number
  /** The part that is the process's own. */
  readonly rssAnon: number
}

/** Linux only. */
export function processMemory(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
  return { rss: megabytes('VmRSS'), rssAnon: megabytes('RssAnon') }
}
