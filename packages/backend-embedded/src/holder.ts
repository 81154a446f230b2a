import { readFileSync } from 'node:fs'

/** The process that has a data directory open. */
export interface Holder {
  readonly pid: number
  /** When the process started, as its system counts: a pid alone may have been given to another one since. */
  readonly started: string
}

/** Another process, or this one, has the data directory open. */
export class LockedError extends Error {
  readonly pid: number
  constructor(dataDir: string, pid: number) {
    super(`${dataDir} is in use by the process with pid ${pid}; only one process at a time can open it`)
    this.name = 'LockedError'
    this.pid = pid
  }
}

export function thisProcess(): Holder {
  return { pid: process.pid, started: startOf(process.pid) }
}

export function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const started = startOf(holder.pid)
  return started === '' || holder.started === '' || started === holder.started
}

/** "" where the system does not say. */
function startOf(pid: number): string {
  try {
    // The 22nd field; the second is the command, in brackets and with anything in it.
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
