/**
 * Lengths of the codes of all bytes and of the end of the text (RFC 7541, appendix B): "A" is 5 bits. The code is canonical: codes of the same
 * length are in the order of their bytes.
 */
const codeLengths =
  'ISXXXXXXXTZXXZXXXXXXXXZXXXXXXXXXBFFHIBDGFFDGDBBBAAABBBBBBBCDKBHFIBCCCCCCCCCCCCCCCCCCCCCCDCDIOIJBKABABABBBACCBBBABCBAABCCCCCKGJI' +
  'XPRPPRRRSRSSSSSTSTTRSTSSSSQRSRSSTRQPRRSSQSRRTQRSSQQRQSRSSPRRRSRRSVVPORSRUVVVWWVTUOQVWWVWTQQVVXWWWPTPQRQQSRRUUTTVSVWVVWWWWWXWWWWWVZ'
const endOfText = 256
/** Number of inner nodes of the code's tree. */
const nodeCount = 256
const noByte = -1

interface DecodingTable {
  /** The next node by node and four bits; -1 where no code continues. */
  readonly next: Int16Array
  /** The byte that these four bits complete, or -1. No code is shorter than five bits. */
  readonly bytes: Int16Array
  /** Whether a text may end at a node: after at most seven bits, all of them ones. */
  readonly mayEnd: Uint8Array
}

let table: DecodingTable | undefined

/** Decodes a text in the Huffman code of HPACK. Returns undefined if it is not valid. */
export function decodeHuffman(block: Uint8Array, start: number, end: number): string | undefined {
  const { next, bytes, mayEnd } = (table ??= createTable())
  let node = 0
  let text = ''
  for (let at = start; at < end; at++) {
    const octet = block[at]!
    for (let shift = 4; shift >= 0; shift -= 4) {
      const entry = (node << 4) | ((octet >> shift) & 15)
      const byte = bytes[entry]!
      if (byte !== noByte) text += String.fromCharCode(byte)
      node = next[entry]!
      if (node < 0) return undefined
    }
  }
  return mayEnd[node] === 1 ? text : undefined
}

function createTable(): DecodingTable {
  const { left, right } = createTree()
  const next = new Int16Array(nodeCount * 16)
  const bytes = new Int16Array(nodeCount * 16).fill(noByte)
  const mayEnd = new Uint8Array(nodeCount)
  for (let node = 0; node < nodeCount; node++) {
    for (let bits = 0; bits < 16; bits++) {
      let reached = node
      for (let bit = 3; bit >= 0 && reached >= 0; bit--) {
        const child = ((bits >> bit) & 1 ? right : left)[reached]!
        if (child >= 0) reached = child
        else if (child === toLeaf(endOfText)) reached = -1
        else {
          bytes[node * 16 + bits] = toLeaf(child)
          reached = 0
        }
      }
      next[node * 16 + bits] = reached
    }
  }
  for (let node = 0, depth = 0; depth <= 7; depth++, node = right[node]!) mayEnd[node] = 1
  return { next, bytes, mayEnd }
}

/** A leaf for a symbol, and the symbol of a leaf: inner nodes are numbers from 0, leaves are numbers below 0. */
function toLeaf(value: number): number {
  return -1 - value
}

function createTree(): { readonly left: Int16Array; readonly right: Int16Array } {
  const left = new Int16Array(nodeCount)
  const right = new Int16Array(nodeCount)
  let created = 1
  let code = 0
  for (let length = 1; length <= 30; length++, code *= 2) {
    for (let symbol = 0; symbol <= endOfText; symbol++) {
      if (codeLengths.charCodeAt(symbol) - 60 !== length) continue
      let node = 0
      for (let bit = length - 1; bit > 0; bit--) {
        const side = (code >> bit) & 1 ? right : left
        // The root is nobody's child, so 0 means that there is no child yet.
        if (side[node] === 0) side[node] = created++
        node = side[node]!
      }
      ;(code & 1 ? right : left)[node] = toLeaf(symbol)
      code++
    }
  }
  return { left, right }
}
