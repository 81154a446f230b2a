import { chmodSync, closeSync, constants, existsSync, fstatSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { getErrorMessage } from '@keelson/apimachinery'
import type { FileLocks } from 'fs-native-extensions'
import { closeMarkFile } from './file-header.ts'
import { lockOwnerFile, newLockedError } from './lock-owner.ts'
import { UnusableStoreError } from './durability.ts'

/** The offset of the locked byte. It is beyond the largest possible file, because on Windows other processes cannot read a locked range. */
const lockedByte = 2 ** 40

const fileName = 'data.mdb'
/** Files whose existence proves that the directory has had a store. */
const storeFiles = [lockOwnerFile, closeMarkFile]

/** The mode of every file of the store: only the owner may read and write it. */
export const ownerOnly = 0o600

/**
 * The data file of LMDB, locked for one store. The kernel holds the lock (an OFD lock on Linux, `flock` on macOS, `LockFileEx` on Windows).
 * The lock belongs to the open file and not to a pid, so it works between containers that share a volume. It always ends with the process,
 * and also excludes a second store in the same process.
 */
export class DataFile {
  readonly path: string
  /** An identifier of the file on this machine. It stays the same if the file is renamed. */
  readonly identity: string
  readonly #handle: number
  readonly #dev: number
  readonly #ino: number
  /** The last known size of the file. LMDB never makes the file smaller. */
  #size = 0

  private constructor(path: string, handle: number) {
    this.path = path
    this.#handle = handle
    const { dev, ino } = fstatSync(handle)
    this.#dev = dev
    this.#ino = ino
    this.identity = `${dev}:${ino}`
  }

  /**
   * Opens and locks the data file. Creates it for a new store. Throws `LockedError` if another store has it open, and `UnusableStoreError`
   * if the file of an existing store is missing. `dataDir` is the path that the caller used, for error messages.
   */
  static async take(directory: string, dataDir: string): Promise<DataFile> {
    const locks = await loadFileLocks()
    const path = join(directory, fileName)
    requireDataFile(directory, dataDir)
    const handle = openSync(path, constants.O_RDWR | constants.O_CREAT, ownerOnly)
    try {
      if (!tryLock(locks, handle, dataDir)) throw newLockedError(dataDir, directory)
      restrictToOwner(path)
      restrictToOwner(join(directory, 'lock.mdb'))
      return new DataFile(path, handle)
    } catch (error) {
      closeSync(handle)
      throw error
    }
  }

  /**
   * Throws if the file was deleted, replaced or truncated since it was opened, because writes to such a file are lost. Takes a few
   * microseconds.
   */
  requireInPlace(): void {
    const now = statSync(this.path, { throwIfNoEntry: false })
    if (now === undefined || now.ino !== this.#ino || now.dev !== this.#dev)
      throw new Error(`${this.path} was deleted or replaced while the store was open`)
    const { size } = now
    if (size < this.#size) throw new Error(`${this.path} was truncated from ${this.#size} to ${size} bytes while the store was open`)
    this.#size = size
  }

  release(): void {
    closeSync(this.#handle)
  }
}

/**
 * Throws if the directory has had a store but its data file is missing or empty. Creating a new store would look as if all objects were
 * deleted, and controllers would act on that.
 */
function requireDataFile(directory: string, dataDir: string): void {
  const { size } = statSync(join(directory, fileName), { throwIfNoEntry: false }) ?? {}
  if (size !== undefined && size > 0) return
  const proofs = storeFiles.filter((name) => existsSync(join(directory, name)))
  if (proofs.length === 0) return
  throw new UnusableStoreError(
    `${dataDir} held a store (see ${proofs.join(' and ')}), but its ${fileName} is ${size === 0 ? 'empty' : 'missing'}: ` +
      `restore ${fileName}, or delete ${proofs.join(' and ')} to begin with an empty store`,
  )
}

/** Makes a file accessible only to its owner. The files contain secrets, and older versions created them with the default mode. */
function restrictToOwner(file: string): void {
  try {
    const { mode = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
    if ((mode & 0o077) !== 0) chmodSync(file, ownerOnly)
  } catch (error) {
    // The file belongs to another user, so this process cannot change its mode.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
}

function tryLock(locks: FileLocks, handle: number, dataDir: string): boolean {
  try {
    return locks.tryLock(handle, lockedByte, 1)
  } catch (cause) {
    // On Windows, EBUSY means that another process has locked the range.
    if ((cause as NodeJS.ErrnoException).code === 'EBUSY') return false
    throw new UnusableStoreError(`${dataDir} is on a file system that cannot lock files (${getErrorMessage(cause)}): use a local one`, {
      cause,
    })
  }
}

async function loadFileLocks(): Promise<FileLocks> {
  try {
    return (await import('fs-native-extensions')).default
  } catch (cause) {
    const platform = `${process.platform} on ${process.arch}`
    throw new UnusableStoreError(`files cannot be locked on ${platform}: fs-native-extensions does not load (${getErrorMessage(cause)})`, {
      cause,
    })
  }
}
