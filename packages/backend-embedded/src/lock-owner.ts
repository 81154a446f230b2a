import { readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/**
 * The file that names the process with the open store, or the last one. It is only for messages, because the kernel's lock on the data file decides.
 * It is written after the store was created and stays, so it proves that there was a store.
 */
export const lockOwnerFile = 'store.json'

interface LockOwner {
  readonly pid: number
  /** The start time of the process in a system-specific format, because pids are reused. */
  readonly started: string
  readonly host: string
  /** The PID namespace, because pids of other namespaces (containers) have no meaning here. */
  readonly pidNamespace: string
}

/** Another process, or another store of this process, has the data directory open. */
export class LockedError extends Error {
  /** The pid of the process. Undefined if it is unknown, or belongs to another container or host. */
  readonly pid: number | undefined
  constructor(dataDir: string, by: { readonly text: string; readonly pid?: number | undefined }) {
    super(`${dataDir} is in use by ${by.text}; only one process at a time can open it`)
    this.name = 'LockedError'
    this.pid = by.pid
  }
}

/** Creates the error for a directory that another process has locked. */
export function newLockedError(dataDir: string, directory: string): LockedError {
  const owner = readLockOwner(directory)
  if (owner === undefined) return new LockedError(dataDir, { text: 'another process' })
  const here = thisProcess()
  if (owner.host !== here.host || owner.pidNamespace !== here.pidNamespace)
    return new LockedError(dataDir, { text: `a process of another container or host (host name ${JSON.stringify(owner.host)})` })
  if (!isAlive(owner)) return new LockedError(dataDir, { text: 'another process' })
  return new LockedError(dataDir, { text: `the process with pid ${owner.pid}`, pid: owner.pid })
}

/** Writes the file. Never throws, because a store must open on a full disk, and the lock works without the file. */
export function writeLockOwner(directory: string): void {
  const file = join(directory, lockOwnerFile)
  try {
    writeFileSync(`${file}.new`, JSON.stringify(thisProcess()), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch {
    rmSync(`${file}.new`, { force: true })
  }
}

function readLockOwner(directory: string): LockOwner | undefined {
  try {
    const owner = JSON.parse(readFileSync(join(directory, lockOwnerFile), 'utf8')) as Partial<LockOwner> | null
    return typeof owner?.pid === 'number' ? (owner as LockOwner) : undefined
  } catch {
    return undefined
  }
}

function thisProcess(): LockOwner {
  return { pid: process.pid, started: startOf(process.pid), host: hostname(), pidNamespace: pidNamespace() }
}

function isAlive({ pid, started }: LockOwner): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const now = startOf(pid)
  return now === '' || now === started
}

/** Returns the start time of a process, or "" if the system does not report it. */
function startOf(pid: number): string {
  try {
    // Reads the 22nd field. The second is the command in brackets, which may contain anything.
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
