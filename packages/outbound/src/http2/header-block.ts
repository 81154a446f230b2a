import { decodeHuffman } from './huffman.ts'

/** The static table of HPACK (RFC 7541, appendix A), as alternating names and values. */
const staticTexts: readonly string[] = [
  ...':authority||:method|GET|:method|POST|:path|/|:path|/index.html|:scheme|http|:scheme|https'.split('|'),
  ...':status|200|:status|204|:status|206|:status|304|:status|400|:status|404|:status|500'.split('|'),
  ...'accept-charset||accept-encoding|gzip, deflate|accept-language||accept-ranges||accept||access-control-allow-origin|'.split('|'),
  ...'age||allow||authorization||cache-control||content-disposition||content-encoding||content-language||content-length|'.split('|'),
  ...'content-location||content-range||content-type||cookie||date||etag||expect||expires||from||host||if-match|'.split('|'),
  ...'if-modified-since||if-none-match||if-range||if-unmodified-since||last-modified||link||location||max-forwards|'.split('|'),
  ...'proxy-authenticate||proxy-authorization||range||referer||refresh||retry-after||server||set-cookie|'.split('|'),
  ...'strict-transport-security||transfer-encoding||user-agent||vary||via||www-authenticate|'.split('|'),
]
const staticEntries = staticTexts.length / 2
const staticTable: readonly TableEntry[] = Array.from({ length: staticEntries }, (_entry, i) => {
  return { name: staticTexts[i * 2]!, value: staticTexts[i * 2 + 1]!, hasValidName: true, isValid: true }
})
/** Maximum size of the dynamic table, as HPACK counts it. It is the default of HTTP/2, so it is not announced. */
const maxTableSize = 4096
const emptyBlock: Buffer = Buffer.alloc(0)
/** Size of an entry in addition to its name and value. */
const entryOverhead = 32

/** Thrown if a header block is not valid. The connection then cannot be used any longer, because both tables of headers may differ. */
export class HeaderBlockError extends Error {
  override readonly name = 'HeaderBlockError'
}

/** A header of the dynamic table. Whether it is valid is decided once, because a block may refer to it thousands of times. */
interface TableEntry {
  readonly name: string
  readonly value: string
  readonly hasValidName: boolean
  readonly isValid: boolean
}

export interface DecodedHeaders {
  /** Names and values, alternating. Empty if there are too many of them or one is not valid. */
  readonly list: readonly string[]
  readonly problem?: 'tooLarge' | 'invalid'
}

const validName = /^:?[!#$%&'*+\-.^_`|~0-9a-z]+$/
const validValue = /^[\t\x20-\x7e\x80-\xff]*$/

function countBytes({ name, value }: TableEntry): number {
  return name.length + value.length + entryOverhead
}

/** Decodes the header blocks that one peer sends over a connection, in their order. */
export class HeaderDecoder {
  readonly #maxListSize: number
  /** Entries of the dynamic table, oldest first. Those at its start that were evicted are undefined. */
  #table: (TableEntry | undefined)[] = []
  /** Number of entries at the start of the table that were evicted. */
  #evicted = 0
  #tableSize = 0
  #tableLimit = maxTableSize
  #block: Buffer = emptyBlock
  #at = 0

  constructor(maxListSize: number) {
    this.#maxListSize = maxListSize
  }

  /** Decodes a block. Throws a `HeaderBlockError` if it is not valid HPACK. */
  decode(block: Buffer): DecodedHeaders {
    this.#block = block
    this.#at = 0
    const list: string[] = []
    let size = 0
    let isValid = true
    while (this.#at < block.length) {
      const first = block[this.#at]!
      let entry: TableEntry
      if (first >= 0x80) entry = this.#entryAt(this.#readInteger(0x7f))
      else if (first >= 0x20 && first < 0x40) {
        if (size > 0) throw new HeaderBlockError('a size of the table within a block')
        this.#resize(this.#readInteger(0x1f))
        continue
      } else {
        const isIndexed = first >= 0x40
        entry = this.#readEntry(this.#readInteger(isIndexed ? 0x3f : 0x0f))
        if (isIndexed) this.#add(entry)
      }
      size += countBytes(entry)
      // The rest of a block that is too large is decoded for the table, but not kept.
      if (size > this.#maxListSize) continue
      isValid &&= entry.isValid
      list.push(entry.name, entry.value)
    }
    this.#block = emptyBlock
    if (size > this.#maxListSize) return { list: [], problem: 'tooLarge' }
    return isValid ? { list } : { list: [], problem: 'invalid' }
  }

  #entryAt(index: number): TableEntry {
    if (index === 0) throw new HeaderBlockError('an entry with the index 0')
    const entry = index <= staticEntries ? staticTable[index - 1] : this.#table[this.#table.length - (index - staticEntries)]
    if (entry === undefined) throw new HeaderBlockError('an index beyond the table')
    return entry
  }

  /** Reads a header whose name is that of the entry at `index`, or follows if `index` is 0. */
  #readEntry(index: number): TableEntry {
    const named = index === 0 ? undefined : this.#entryAt(index)
    const name = named?.name ?? this.#readText()
    const value = this.#readText()
    const hasValidName = named?.hasValidName ?? validName.test(name)
    return { name, value, hasValidName, isValid: hasValidName && validValue.test(value) }
  }

  #add(entry: TableEntry): void {
    // An entry that is larger than the table empties it (RFC 7541, section 4.4).
    const size = countBytes(entry)
    this.#evict(Math.max(0, this.#tableLimit - size))
    if (size > this.#tableLimit) return
    this.#table.push(entry)
    this.#tableSize += size
  }

  #resize(limit: number): void {
    if (limit > maxTableSize) throw new HeaderBlockError('the table is too large')
    this.#tableLimit = limit
    this.#evict(limit)
  }

  /** Removes the oldest entries until the table has at most `limit` bytes. */
  #evict(limit: number): void {
    while (this.#tableSize > limit) {
      this.#tableSize -= countBytes(this.#table[this.#evicted]!)
      this.#table[this.#evicted++] = undefined
    }
    if (this.#evicted <= 128) return
    this.#table = this.#table.slice(this.#evicted)
    this.#evicted = 0
  }

  /** Reads an integer whose first byte has a prefix of other bits. */
  #readInteger(mask: number): number {
    let value = this.#readByte() & mask
    if (value < mask) return value
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.#readByte()
      value += (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new HeaderBlockError('an integer is too large')
  }

  #readText(): string {
    const block = this.#block
    const isCompressed = this.#at < block.length && block[this.#at]! >= 0x80
    const length = this.#readInteger(0x7f)
    const start = this.#at
    this.#at += length
    if (this.#at > block.length) throw new HeaderBlockError('the block ends too early')
    if (!isCompressed) return block.toString('latin1', start, this.#at)
    const text = decodeHuffman(block, start, this.#at)
    if (text === undefined) throw new HeaderBlockError('a text is not in the Huffman code')
    return text
  }

  #readByte(): number {
    const byte = this.#block[this.#at++]
    if (byte === undefined) throw new HeaderBlockError('the block ends too early')
    return byte
  }
}

/** Names with a fixed place in the static table, from which the encoder takes them. */
const staticNames: ReadonlyMap<string, number> = new Map(
  Array.from({ length: staticEntries }, (_entry, i) => [staticTexts[i * 2]!, i + 1] as const).reverse(),
)
/** Headers of a connection, which HTTP/2 does not have. */
const connectionHeaders: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])
const maxNames = 256
const maxNameLength = 64
const encodedNames = new Map<string, string>()

/**
 * Encodes request headers as text in which each character is a byte. No entry is added to the peer's table, so the block does not depend on
 * others. Throws if a name or a value is not valid.
 */
export function encodeHeaders(list: readonly string[]): string {
  let block = ''
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i]!
    const value = list[i + 1]!
    if (!validValue.test(value)) throw new TypeError(`invalid value of the header ${JSON.stringify(name)}`)
    block += (encodedNames.get(name) ?? encodeName(name)) + encodeInteger(value.length, 0x7f) + value
  }
  return block
}

function encodeName(name: string): string {
  const lower = name.toLowerCase()
  if (!validName.test(lower) || connectionHeaders.has(lower)) throw new TypeError(`invalid header ${JSON.stringify(name)}`)
  const index = staticNames.get(lower)
  const encoded = index === undefined ? `\0${encodeInteger(lower.length, 0x7f)}${lower}` : encodeInteger(index, 0x0f)
  if (encodedNames.size < maxNames && name.length <= maxNameLength) encodedNames.set(name, encoded)
  return encoded
}

/** Encodes an integer whose first byte has a prefix of zeros. */
function encodeInteger(value: number, mask: number): string {
  if (value < mask) return String.fromCharCode(value)
  let encoded = String.fromCharCode(mask)
  let remaining = value - mask
  for (; remaining >= 0x80; remaining >>>= 7) encoded += String.fromCharCode((remaining & 0x7f) | 0x80)
  return encoded + String.fromCharCode(remaining)
}
