import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'

export interface LogFileOptions {
  readonly path: string
  /** Size in bytes at which the file is rotated. 0: never. */
  readonly maxBytes: number
  /** Maximum number of rotated files. 0: no limit. */
  readonly maxBackups: number
  /** Age in days after which rotated files are removed. 0: never. */
  readonly maxAgeDays: number
  /** Compresses rotated files with gzip. */
  readonly isCompressed: boolean
  readonly clock?: Clock
  /** Called if old files cannot be removed or compressed. */
  readonly onProblem?: (error: Error) => void
}

/** A place for lines of a log. Calls of `write` must not overlap. */
export interface LineWriter {
  /** Writes the lines in `bytes`, which end at `ends`. Returns the errors of the lines that were not written, by index. */
  write(bytes: Buffer, ends: readonly number[]): Promise<ReadonlyMap<number, Error>>
  close(): Promise<void>
}

/** Opens the log file, and creates it and its folder. Others than its owner may not read it. Throws if it cannot be opened. */
export async function openLogFile(options: LogFileOptions): Promise<LineWriter> {
  await mkdir(path.dirname(options.path), { recursive: true, mode: 0o700 })
  const handle = await open(options.path, 'a', 0o600)
  return new LogFile(options, handle, (await handle.stat()).size)
}

/** Lines of one write: the index of the first one, the ends relative to the written bytes, and where failures are added. */
interface AppendedLines {
  readonly first: number
  readonly ends: readonly number[]
  readonly failures: Map<number, Error>
}

class LogFile implements LineWriter {
  readonly #options: LogFileOptions
  readonly #clock: Clock
  /** Undefined after a rotation failed; then the next write opens the file. */
  #handle: FileHandle | undefined
  #size: number
  /** True if the last line was written in part. */
  #isTorn = false
  #cleaning: Promise<void> = Promise.resolve()

  constructor(options: LogFileOptions, handle: FileHandle, size: number) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#handle = handle
    this.#size = size
  }

  async write(bytes: Buffer, ends: readonly number[]): Promise<ReadonlyMap<number, Error>> {
    const failures = new Map<number, Error>()
    const { maxBytes } = this.#options
    if (maxBytes === 0 || this.#size + bytes.length <= maxBytes) await this.#append(bytes, { first: 0, ends, failures })
    else await this.#appendInFiles(bytes, ends, failures)
    return failures
  }

  /** Appends lines to as many files as needed. */
  async #appendInFiles(bytes: Buffer, ends: readonly number[], failures: Map<number, Error>): Promise<void> {
    const { maxBytes } = this.#options
    for (let first = 0; first < ends.length;) {
      const start = ends[first - 1] ?? 0
      const length = ends[first]! - start
      if (length > maxBytes) {
        failures.set(first++, new Error(`write length ${length} exceeds maximum file size ${maxBytes}`))
        continue
      }
      if (this.#size + length > maxBytes) await this.#rotate().catch(() => {})
      let last = first
      // A line that exceeds the maximum is only written if the file cannot be rotated.
      while (last + 1 < ends.length && this.#size + ends[last + 1]! - start <= maxBytes) last++
      const lineLengths = ends.slice(first, last + 1).map((end) => end - start)
      await this.#append(bytes.subarray(start, ends[last]), { first, ends: lineLengths, failures })
      first = last + 1
    }
  }

  /** Appends lines by one write. After an error, adds those that the file does not hold completely to the failures. */
  async #append(bytes: Buffer, { first, ends, failures }: AppendedLines): Promise<void> {
    let written = 0
    try {
      this.#handle ??= await open(this.#options.path, 'a', 0o600)
      // Ends a line that was written in part, so that only that line is lost.
      if (this.#isTorn) await this.#handle.write('\n')
      this.#isTorn = false
      while (written < bytes.length) written += (await this.#handle.write(bytes, written)).bytesWritten
      this.#size += written
    } catch (error) {
      this.#size += written
      for (const [i, end] of ends.entries()) {
        if (end <= written) continue
        failures.set(first + i, error as Error)
        if ((ends[i - 1] ?? 0) < written) this.#isTorn = true
      }
    }
  }

  async #rotate(): Promise<void> {
    const { path: file } = this.#options
    const stamp = new Date(this.#clock.now()).toISOString().slice(0, 23).replaceAll(':', '-')
    await this.#handle?.close()
    this.#handle = undefined
    this.#isTorn = false
    await rename(file, `${findPrefix(file)}${stamp}${path.extname(file)}`)
    this.#handle = await open(file, 'a', 0o600)
    this.#size = 0
    this.#cleaning = this.#cleaning.then(() => this.#clean()).catch((error: unknown) => this.#options.onProblem?.(error as Error))
  }

  /** Removes rotated files beyond the limits, and compresses the others. */
  async #clean(): Promise<void> {
    const { maxBackups, maxAgeDays, isCompressed, path: file } = this.#options
    const rotated = await listRotated(file)
    const stamps = [...new Set(rotated.map(({ stamp }) => stamp))].toSorted().toReversed()
    const oldest = maxAgeDays > 0 ? this.#clock.now() - maxAgeDays * 86_400_000 : 0
    const keptStamps = new Set((maxBackups > 0 ? stamps.slice(0, maxBackups) : stamps).filter((stamp) => parseStamp(stamp) >= oldest))
    for (const { name, stamp, isZipped } of rotated) {
      if (!keptStamps.has(stamp)) await rm(name, { force: true })
      else if (isCompressed && !isZipped) await compress(name)
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close()
    this.#handle = undefined
    await this.#cleaning
  }
}

function findPrefix(file: string): string {
  return `${file.slice(0, file.length - path.extname(file).length)}-`
}

interface RotatedFile {
  readonly name: string
  readonly stamp: string
  readonly isZipped: boolean
}

async function listRotated(file: string): Promise<readonly RotatedFile[]> {
  const [prefix, extension] = [path.basename(findPrefix(file)), path.extname(file)]
  const names = await readdir(path.dirname(file))
  return names.flatMap((name) => {
    const isZipped = name.endsWith('.gz')
    const plain = isZipped ? name.slice(0, -3) : name
    if (!plain.startsWith(prefix) || !plain.endsWith(extension)) return []
    const stamp = plain.slice(prefix.length, plain.length - extension.length)
    return Number.isNaN(parseStamp(stamp)) ? [] : [{ name: path.join(path.dirname(file), name), stamp, isZipped }]
  })
}

/** Parses the time in the name of a rotated file: "2026-01-02T03-04-05.000". Returns NaN for other texts. */
function parseStamp(stamp: string): number {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2}\.\d{3})$/.exec(stamp)
  return match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}:${match[3]}:${match[4]}Z`)
}

/** Compresses a file. The compressed file appears under its name when it is complete. */
async function compress(name: string): Promise<void> {
  const partial = `${name}.gz.partial`
  const { mode } = await stat(name)
  await pipeline(createReadStream(name), createGzip(), createWriteStream(partial, { mode }))
  await rename(partial, `${name}.gz`)
  await rm(name)
}
