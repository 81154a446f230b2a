import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import type * as Lmdb from 'lmdb'
import { DamagedStoreError } from './entry-record.ts'

export interface TrialOptions {
  readonly timeout: number
}

/**
 * Opens a data directory in a separate process, reads all records and starts a write. If damaged files crash LMDB or make it loop, only
 * that process is affected. Throws `DamagedStoreError` if the process fails. Values are not read, because their pages have been audited.
 */
export async function tryToOpen(directory: string, { timeout }: TrialOptions): Promise<void> {
  const lmdb = createRequire(import.meta.url).resolve('lmdb')
  const script = `(${walk.toString()})(require(${JSON.stringify(lmdb)}), ${JSON.stringify(directory)})`
  const reason = await new Promise<string | undefined>((resolve) => {
    const env = { ...process.env, NODE_OPTIONS: '' }
    execFile(process.execPath, ['-e', script], { timeout, killSignal: 'SIGKILL', env }, (error, _stdout, stderr) => {
      const lastLine = stderr.trim().split('\n').at(-1)?.slice(0, 300)
      if (!error) resolve(undefined)
      else if (error.killed) resolve(`reading it takes longer than ${timeout / 1000} s`)
      else resolve(`reading it ended with ${error.signal ?? `exit code ${error.code}`}${lastLine ? `: ${lastLine}` : ''}`)
    })
  })
  if (reason !== undefined) throw new DamagedStoreError(`the files in ${directory} are damaged (${reason}): restore the data directory`)
}

/** The program of the separate process. It is passed as source text, so it may use only its arguments and Node's globals. */
function walk(lmdb: typeof Lmdb, path: string): void {
  try {
    const options = {
      noSubdir: false,
      encoding: 'binary',
      keyEncoding: 'binary',
      maxDbs: 3,
      permissionsMode: 0o600,
      mapSize: 2 ** 30,
      overlappingSync: false,
    } as const
    const root = lmdb.open<Uint8Array, Uint8Array>({ path, ...options })
    const tables = ['entries', 'leases', 'meta'].map((name) =>
      root.openDB<Uint8Array, Uint8Array>({ name, encoding: 'binary', keyEncoding: 'binary' }),
    )
    for (const table of tables) {
      let last = Buffer.alloc(0)
      for (const key of table.getKeys()) {
        const now = Buffer.from(key)
        if (last.length > 0 && Buffer.compare(last, now) >= 0) throw new Error('its keys are not in order')
        last = now
      }
    }
    // The first write of a transaction makes LMDB read the list of free pages. This transaction is rolled back.
    root.transactionSync(() => {
      tables[2]!.putSync(Buffer.from('trial'), Buffer.alloc(2 ** 20, 0x4b))
      return lmdb.ABORT
    })
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exit(1)
  }
  process.exit(0)
}
