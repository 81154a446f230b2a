import { readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/**
 * The file that names the process which has the store open, or had it open last. It is used only in error messages, because the kernel's
 * lock on the data file decides. It is written after the store was created and is never deleted, so it proves that the directory has had a
 * store.
 */
export const lockOwnerFile = 'store.json'

interface LockOwner {
  readonly pid: number
  /**
   * The start time of the process, in a format that depends on the system. It distinguishes processes with the same pid, because systems
   * reuse pids.
   */
  readonly started: string
  readonly host: string
  /** The PID namespace of the process. A pid of another namespace (container) has no meaning in this one. */
  readonly pidNamespace: string
}

/** The error if another process, or another store of this process, has the data directory open. */
export class LockedError extends Error {
  /** The pid of the process. Undefined if it is unknown, or if the process is in another container or on another host. */
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
  const currentProcess = describeThisProcess()
  if (owner.host !== currentProcess.host || owner.pidNamespace !== currentProcess.pidNamespace)
    return new LockedError(dataDir, { text: `a process of another container or host (host name ${JSON.stringify(owner.host)})` })
  if (!isAlive(owner)) return new LockedError(dataDir, { text: 'another process' })
  return new LockedError(dataDir, { text: `the process with pid ${owner.pid}`, pid: owner.pid })
}

/** Writes the file that names this process. Never throws, because a store must open on a full disk, and the lock works without the file. */
export function writeLockOwner(directory: string): void {
  const file = join(directory, lockOwnerFile)
  try {
    writeFileSync(`${file}.new`, JSON.stringify(describeThisProcess()), { mode: 0o600 })
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

function describeThisProcess(): LockOwner {
  return { pid: process.pid, started: readStartTime(process.pid), host: hostname(), pidNamespace: readPidNamespace() }
}

function isAlive({ pid, started }: LockOwner): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM means that the process exists, but belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const now = readStartTime(pid)
  return now === '' || now === started
}

/** Returns the start time of a process, or "" if the system does not report it. */
function readStartTime(pid: number): string {
  try {
    // The start time is the 22nd field. The second field is the command in parentheses, which may contain spaces, so the text after it is
    // split.
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

function readPidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}
