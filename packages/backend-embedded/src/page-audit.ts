import { closeSync, openSync, readSync } from 'node:fs'
import { newDamagedFileError, readFileHeader, type FileHeader } from './file-header.ts'

/**
 * Checks that every page of LMDB's file has only one use (a page of one tree, part of one large value, or free), and that every key is where a search
 * finds it. LMDB never checks this. With a wrong page number it overwrites pages in use, or crashes. All numbers are little-endian. The offsets of a
 * page, then of a node in it:
 *
 *     0   8  its number          0  2  value's size (low), or child page (bits 0-15)
 *     8   8  commit              2  2  value's size (high), or child page (16-31)
 *     18  2  kind                4  2  1: value is on other pages, 2: value is a table; or child page (32-47)
 *     20  2  twice its nodes     6  2  key's size
 *     22  2  lowest node         8     key, value
 *     24     node offsets
 *
 * The offset of a node counts from 24. A table is 48 bytes: a size, its flags, its depth, then 8 bytes each for the numbers of branch, leaf and value
 * pages, of entries, and for the root. A value on other pages is stored as its first page, commit and number of pages, 8 bytes each.
 * Free pages are values of the first tree: a count, then page numbers. 0 is unused; -n means that the next number is the first of n pages.
 */
const nodesAt = 24
const kindBranch = 1
const kindLeaf = 2
const kindLarge = 4
const noPage = 2 ** 64

interface TableKind {
  readonly pad: number
  readonly flags: number
  /** Receives the values of the table of free pages. Undefined while other tables are read. */
  readonly free: ((value: Buffer) => void) | undefined
}

const plainTable: TableKind = { pad: 0, flags: 0, free: undefined }

/** The range of keys that a page may contain. The first bound is included, and the second is not. */
type Bounds = readonly [Buffer | undefined, Buffer | undefined]

const unbounded: Bounds = [undefined, undefined]

interface TreeTotals extends Pick<TableKind, 'free'> {
  readonly depth: number
  branches: number
  leaves: number
  large: number
  entries: number
}

/** Audits the structure of a data file. Values are not checked. Throws `DamagedStoreError` if the structure is damaged. */
export function auditPages(file: string): void {
  const header = readFileHeader(file)
  if (!header) return
  const handle = openSync(file, 'r')
  try {
    new PageAudit(file, handle, header).run()
  } finally {
    closeSync(handle)
  }
}

class PageAudit {
  readonly #file: string
  readonly #handle: number
  readonly #pageSize: number
  readonly #size: number
  #taken = new Uint8Array()
  #commit = 0

  constructor(file: string, handle: number, { pageSize, size }: FileHeader) {
    this.#file = file
    this.#handle = handle
    this.#pageSize = pageSize
    this.#size = size
  }

  run(): void {
    const metas = [this.#read(0, 160), this.#read(this.#pageSize, 160)] as const
    const newestMeta = readNumber(metas[0], 152) > readNumber(metas[1], 152) ? metas[0] : metas[1]
    this.#commit = readNumber(newestMeta, 152)
    const last = readNumber(newestMeta, 144)
    if (last > 2 ** 40) this.#refuse('its last page is too far')
    this.#taken = new Uint8Array(last + 1)
    this.#taken.fill(1, 0, 2)
    this.#table(newestMeta.subarray(48, 96), { pad: this.#pageSize, flags: 8, free: (value) => this.#free(value) })
    this.#table(newestMeta.subarray(96, 144), plainTable)
  }

  #table(record: Buffer, { pad, flags, free }: TableKind): void {
    if (record.readUInt32LE(0) !== pad || record.readUInt16LE(4) !== flags) this.#refuse('a table is of the wrong kind')
    const depth = record.readUInt16LE(6)
    const root = readNumber(record, 40)
    const totals: TreeTotals = { depth, free, branches: 0, leaves: 0, large: 0, entries: 0 }
    if (root !== noPage) this.#tree(root, 1, totals, unbounded)
    else if (depth !== 0) this.#refuse('a table has lost its root')
    const pageCounts = [totals.branches, totals.leaves, totals.large, totals.entries]
    if (pageCounts.some((count, i) => count !== readNumber(record, 8 + 8 * i)))
      this.#refuse('a table does not have the pages and entries that it counts')
  }

  #tree(root: number, depth: number, totals: TreeTotals, bounds: Bounds): void {
    this.#use(root, 1)
    const page = this.#read(root * this.#pageSize, this.#pageSize)
    const kind = page.readUInt16LE(18)
    const expectedKind = depth === totals.depth ? kindLeaf : kindBranch
    if (readNumber(page, 0) !== root || readNumber(page, 8) > this.#commit || kind !== expectedKind)
      this.#refuse(`page ${root} has unexpected contents`)
    const nodes = page.readUInt16LE(20) / 2
    const lowest = nodesAt + page.readUInt16LE(22)
    if (!Number.isInteger(nodes) || nodesAt + 2 * nodes > lowest) this.#refuse(`page ${root} has no nodes`)
    const keys = this.#keys(page, nodes)
    // The table of free pages sorts its keys as numbers, so it is not checked here. LMDB never reads the first key of a branch page.
    if (!totals.free) this.#requireOrder(root, kind === kindBranch ? keys.slice(1) : keys, bounds)
    const extents: { readonly at: number; readonly end: number }[] = []
    for (let i = 0; i < nodes; i++) {
      const at = nodesAt + page.readUInt16LE(nodesAt + 2 * i)
      const low = page.readUInt16LE(at) + page.readUInt16LE(at + 2) * 2 ** 16
      const flags = page.readUInt16LE(at + 4)
      const value = at + 8 + page.readUInt16LE(at + 6)
      const end = kind === kindBranch ? value : value + ((flags & 1) !== 0 ? 24 : low)
      extents.push({ at, end: end + (end % 2) })
      if (end > page.length) this.#refuse(`a node of page ${root} is outside of the page`)
      if (kind === kindBranch)
        this.#tree(low + flags * 2 ** 32, depth + 1, totals, [i === 0 ? bounds[0] : keys[i], i + 1 === nodes ? bounds[1] : keys[i + 1]])
      else this.#leaf(page, value, low, flags, totals)
    }
    // LMDB moves nodes by the size of the page's free space, so the nodes must fill the end of the page without gaps.
    let at = lowest
    for (const extent of extents.sort((one, other) => one.at - other.at)) {
      if (extent.at !== at) this.#refuse(`the nodes of page ${root} are in the wrong place`)
      at = extent.end
    }
    if (at !== page.length) this.#refuse(`the nodes of page ${root} are in the wrong place`)
    if (kind === kindBranch) totals.branches++
    else {
      totals.leaves++
      totals.entries += nodes
    }
  }

  #keys(page: Buffer, nodes: number): Buffer[] {
    return Array.from({ length: nodes }, (_, i) => {
      const at = nodesAt + page.readUInt16LE(nodesAt + 2 * i)
      const end = at + 8 > page.length ? Infinity : at + 8 + page.readUInt16LE(at + 6)
      if (end > page.length) this.#refuse(`a node of page ${readNumber(page, 0)} is outside of the page`)
      return page.subarray(at + 8, end)
    })
  }

  #requireOrder(page: number, keys: readonly Buffer[], [low, high]: Bounds): void {
    let last = low
    for (const [i, key] of keys.entries()) {
      const order = last ? Buffer.compare(last, key) : -1
      if (order > 0 || (order === 0 && i > 0)) this.#refuse(`the keys of page ${page} are in the wrong place`)
      last = key
    }
    if (high && last && Buffer.compare(last, high) >= 0) this.#refuse(`the keys of page ${page} are in the wrong place`)
  }

  #leaf(page: Buffer, at: number, size: number, flags: number, totals: TreeTotals): void {
    const { free } = totals
    if (flags > 2) this.#refuse(`a value of page ${readNumber(page, 0)} is of an unknown kind`)
    if (flags === 1) {
      const first = readNumber(page, at)
      const pages = readNumber(page, at + 16)
      if (pages !== Math.ceil((size + nodesAt) / this.#pageSize)) this.#refuse(`the large value of page ${first} has the wrong size`)
      this.#use(first, pages)
      totals.large += pages
      const head = this.#read(first * this.#pageSize, nodesAt)
      if (readNumber(head, 0) !== first || head.readUInt16LE(18) !== kindLarge || head.readUInt32LE(20) !== pages)
        this.#refuse(`page ${first} has unexpected contents`)
      if (free) free(this.#read(first * this.#pageSize + nodesAt, size))
    } else if (free) free(page.subarray(at, at + size))
    else if (flags === 2) {
      if (size !== 48) this.#refuse(`a table of page ${readNumber(page, 0)} is invalid`)
      this.#table(page.subarray(at, at + size), plainTable)
    }
  }

  #free(list: Buffer): void {
    const count = list.length < 8 ? Infinity : readNumber(list, 0)
    if (8 * (count + 1) > list.length) this.#refuse('its list of free pages is truncated')
    let run = 1
    for (let i = 1; i <= count; i++) {
      const entry = Number(list.readBigInt64LE(8 * i))
      if (entry < 0) run = -entry
      else if (entry > 0) {
        this.#take(entry, run)
        run = 1
      }
    }
  }

  #use(first: number, count: number): void {
    if ((first + count) * this.#pageSize > this.#size) this.#refuse('it is truncated')
    this.#take(first, count)
  }

  /**
   * Marks pages as used, and throws if one is used already. Free pages may be after the end of the file, where nothing was ever written.
   */
  #take(first: number, count: number): void {
    if (first < 2 || first + count > this.#taken.length || count < 1) this.#refuse(`page ${first} is outside of the file`)
    for (let page = first; page < first + count; page++) {
      if (this.#taken[page] === 1) this.#refuse(`page ${page} is used twice`)
      this.#taken[page] = 1
    }
  }

  #read(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    if (readSync(this.#handle, bytes, 0, length, at) < length) this.#refuse('it is truncated')
    return bytes
  }

  #refuse(reason: string): never {
    throw newDamagedFileError(this.#file, reason)
  }
}

function readNumber(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at))
}
