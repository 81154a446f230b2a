import { decodeHuffman } from './huffman.ts'

/** The static table of HPACK (RFC 7541, appendix A), as alternating names and values. */
const staticTable: readonly string[] = [
  ...':authority||:method|GET|:method|POST|:path|/|:path|/index.html|:scheme|http|:scheme|https'.split('|'),
  ...':status|200|:status|204|:status|206|:status|304|:status|400|:status|404|:status|500'.split('|'),
  ...'accept-charset||accept-encoding|gzip, deflate|accept-language||accept-ranges||accept||access-control-allow-origin|'.split('|'),
  ...'age||allow||authorization||cache-control||content-disposition||content-encoding||content-language||content-length|'.split('|'),
  ...'content-location||content-range||content-type||cookie||date||etag||expect||expires||from||host||if-match|'.split('|'),
  ...'if-modified-since||if-none-match||if-range||if-unmodified-since||last-modified||link||location||max-forwards|'.split('|'),
  ...'proxy-authenticate||proxy-authorization||range||referer||refresh||retry-after||server||set-cookie|'.split('|'),
  ...'strict-transport-security||transfer-encoding||user-agent||vary||via||www-authenticate|'.split('|'),
]
const staticEntries = staticTable.length / 2
/** Maximum size of the dynamic table, as HPACK counts it. It is the default of HTTP/2, so it is not announced. */
const maxTableSize = 4096
const emptyBlock: Buffer = Buffer.alloc(0)
/** Size of an entry in addition to its name and value. */
const entryOverhead = 32

/** Thrown if a header block is not valid. The connection then cannot be used any longer, because both tables of headers may differ. */
export class HeaderBlockError extends Error {
  override readonly name = 'HeaderBlockError'
}

export interface DecodedHeaders {
  /** Names and values, alternating. Empty if there are too many of them or one is not valid. */
  readonly list: readonly string[]
  readonly problem?: 'tooLarge' | 'invalid'
}

const validName = /^:?[!#$%&'*+\-.^_`|~0-9a-z]+$/
const validValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Decodes the header blocks that one peer sends over a connection, in their order. */
export class HeaderDecoder {
  readonly #maxListSize: number
  /** Entries of the dynamic table as alternating names and values, oldest first. */
  #table: string[] = []
  /** Number of strings at the start of the table that were evicted. */
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
      let name: string
      let value: string
      if (first >= 0x80) {
        const index = this.#readInteger(0x7f)
        name = this.#nameOf(index)
        value = this.#valueOf(index)
      } else if (first >= 0x20 && first < 0x40) {
        if (size > 0) throw new HeaderBlockError('a size of the table within a block')
        this.#resize(this.#readInteger(0x1f))
        continue
      } else {
        const isIndexed = first >= 0x40
        const index = this.#readInteger(isIndexed ? 0x3f : 0x0f)
        name = index === 0 ? this.#readText() : this.#nameOf(index)
        value = this.#readText()
        if (isIndexed) this.#add(name, value)
      }
      isValid &&= validName.test(name) && validValue.test(value)
      size += name.length + value.length + entryOverhead
      // The rest of a block that is too large is decoded for the table, but not kept.
      if (size <= this.#maxListSize) list.push(name, value)
    }
    this.#block = emptyBlock
    if (size > this.#maxListSize) return { list: [], problem: 'tooLarge' }
    return isValid ? { list } : { list: [], problem: 'invalid' }
  }

  #nameOf(index: number): string {
    if (index === 0) throw new HeaderBlockError('an entry with the index 0')
    return index <= staticEntries ? staticTable[index * 2 - 2]! : this.#dynamic(index, 0)
  }

  #valueOf(index: number): string {
    return index <= staticEntries ? staticTable[index * 2 - 1]! : this.#dynamic(index, 1)
  }

  #dynamic(index: number, offset: 0 | 1): string {
    const at = this.#table.length - (index - staticEntries) * 2
    if (at < this.#evicted) throw new HeaderBlockError('an index beyond the table')
    return this.#table[at + offset]!
  }

  #add(name: string, value: string): void {
    this.#table.push(name, value)
    this.#tableSize += name.length + value.length + entryOverhead
    this.#evict()
  }

  #resize(limit: number): void {
    if (limit > maxTableSize) throw new HeaderBlockError('the table is too large')
    this.#tableLimit = limit
    this.#evict()
  }

  #evict(): void {
    while (this.#tableSize > this.#tableLimit) {
      this.#tableSize -= this.#table[this.#evicted]!.length + this.#table[this.#evicted + 1]!.length + entryOverhead
      this.#evicted += 2
    }
    if (this.#evicted > 256) {
      this.#table = this.#table.slice(this.#evicted)
      this.#evicted = 0
    }
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
  Array.from({ length: staticEntries }, (_entry, i) => [staticTable[i * 2]!, i + 1] as const).reverse(),
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
