import { readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/**
 * Names the process that has the store open, or had it last. For the message only: the kernel's lock on the data file decides who has it. It
 * is made once the store is, and stays: that it exists proves that there was one.
 */
export const holderFile = 'store.json'

interface Holder {
  readonly pid: number
  /** When the process started, as its system counts: a pid alone may have been given to another process since. */
  readonly started: string
  readonly host: string
  /** Pids of other containers mean nothing here. */
  readonly pidNamespace: string
}

/** Another process, or another store of this one, has the data directory open. */
export class LockedError extends Error {
  /** Undefined when it is not known, or belongs to another container or host. */
  readonly pid: number | undefined
  constructor(dataDir: string, by: { readonly text: string; readonly pid?: number | undefined }) {
    super(`${dataDir} is in use by ${by.text}; only one process at a time can open it`)
    this.name = 'LockedError'
    this.pid = by.pid
  }
}

/** The reason why the lock of a directory was not given. */
export function lockedBy(dataDir: string, directory: string): LockedError {
  const holder = readHolder(directory)
  if (holder === undefined) return new LockedError(dataDir, { text: 'another process' })
  const here = thisProcess()
  if (holder.host !== here.host || holder.pidNamespace !== here.pidNamespace)
    return new LockedError(dataDir, { text: `a process of another container or host (host name ${JSON.stringify(holder.host)})` })
  if (!isAlive(holder)) return new LockedError(dataDir, { text: 'another process' })
  return new LockedError(dataDir, { text: `the process with pid ${holder.pid}`, pid: holder.pid })
}

/** Never fails: a full disk must not keep anybody from opening a store, and the lock holds without it. */
export function leaveHolder(directory: string): void {
  const file = join(directory, holderFile)
  try {
    writeFileSync(`${file}.new`, JSON.stringify(thisProcess()), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch {
    rmSync(`${file}.new`, { force: true })
  }
}

function readHolder(directory: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(join(directory, holderFile), 'utf8')) as Partial<Holder> | null
    return typeof holder?.pid === 'number' ? (holder as Holder) : undefined
  } catch {
    return undefined
  }
}

function thisProcess(): Holder {
  return { pid: process.pid, started: startOf(process.pid), host: hostname(), pidNamespace: pidNamespace() }
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it exists, and is another user's.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const now = startOf(pid)
  return now === '' || now === started
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

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}
