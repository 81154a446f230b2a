import { createHash } from 'node:crypto'
import { TimeSlice } from '@keelson/apimachinery'

type Pieces = Iterable<string | Uint8Array>
/** Function that generates a document in pieces. Each call generates the document again. An empty piece is a pause. */
type DocumentPieces = () => Pieces | Promise<Pieces>

/** Minimum size of the chunks of a document, in bytes. Chunks are sent one after the other, so a long document is never copied at once. */
const chunkBytes = 256 * 1024

/** Generates a document and returns it in chunks. Pauses between pieces, so that other requests run. */
async function generate(pieces: DocumentPieces): Promise<readonly Buffer[]> {
  const chunks: Buffer[] = []
  let open: Uint8Array[] = []
  let length = 0
  const slice = new TimeSlice()
  for (const piece of await pieces()) {
    if (piece.length > 0) open.push(typeof piece === 'string' ? Buffer.from(piece) : piece)
    length += piece.length
    if (length >= chunkBytes) {
      chunks.push(Buffer.concat(open))
      open = []
      length = 0
    }
    const pause = slice.pauseIfOver()
    if (pause) await pause
  }
  if (open.length > 0 || chunks.length === 0) chunks.push(Buffer.concat(open))
  return chunks
}

/** Returns the SHA-512 hash of a document in upper-case hexadecimal. */
async function hashChunks(chunks: readonly Buffer[]): Promise<string> {
  const hash = createHash('sha512')
  const slice = new TimeSlice()
  for (const chunk of chunks) {
    hash.update(chunk)
    const pause = slice.pauseIfOver()
    if (pause) await pause
  }
  return hash.digest('hex').toUpperCase()
}

/** A document that is generated on demand. Only its hash is kept, and for a short time its chunks, because clients cache it by its hash. */
export class CachedDocument {
  readonly #pieces: DocumentPieces
  readonly #recent: RecentDocuments
  readonly #identity: (() => Promise<string | undefined> | string | undefined) | undefined
  #etag: Promise<string> | undefined
  #pending: Promise<readonly Buffer[]> | undefined
  #isClosed = false

  /**
   * Creates a document. `identity` returns a text that identifies its content, from which the hash is computed. Without this text, the hash is
   * that of the content, which must be generated for it.
   */
  constructor(pieces: DocumentPieces, recent: RecentDocuments, identity?: () => Promise<string | undefined> | string | undefined) {
    this.#pieces = pieces
    this.#recent = recent
    this.#identity = identity
  }

  /** Returns the hash of the document as SHA-512 in upper-case hexadecimal. */
  etag(): Promise<string> {
    return (this.#etag ??= this.#makeEtag().catch((error: unknown) => {
      this.#etag = undefined
      throw error
    }))
  }

  async #makeEtag(): Promise<string> {
    const identity = await this.#identity?.()
    return hashChunks(identity === undefined ? await this.chunks() : [Buffer.from(identity)])
  }

  /** Returns the document in chunks. Simultaneous calls share one result. */
  chunks(): Promise<readonly Buffer[]> {
    const recent = this.#recent.get(this)
    if (recent !== undefined) return Promise.resolve(recent)
    this.#pending ??= generate(this.#pieces)
      .then((chunks) => {
        if (!this.#isClosed) this.#recent.put(this, chunks)
        return chunks
      })
      .finally(() => (this.#pending = undefined))
    return this.#pending
  }

  /** Drops the chunks, and keeps none in future. A kept document would also keep its source, such as the storage of a removed group. */
  close(): void {
    this.#isClosed = true
    this.#recent.remove(this)
  }
}

const keptMilliseconds = 10_000
const keptBytes = 16 * 1024 * 1024

interface RecentDocument {
  readonly chunks: readonly Buffer[]
  readonly bytes: number
  readonly timer: NodeJS.Timeout
}

/** The documents that were generated in the last seconds. If they are too large together, only the newest ones. */
export class RecentDocuments {
  readonly #documents = new Map<CachedDocument, RecentDocument>()
  #bytes = 0

  get(document: CachedDocument): readonly Buffer[] | undefined {
    return this.#documents.get(document)?.chunks
  }

  put(document: CachedDocument, chunks: readonly Buffer[]): void {
    this.remove(document)
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    for (const oldest of this.#documents.keys()) {
      if (this.#bytes + bytes <= keptBytes) break
      this.remove(oldest)
    }
    const timer = setTimeout(() => this.remove(document), keptMilliseconds).unref()
    this.#documents.set(document, { chunks, bytes, timer })
    this.#bytes += bytes
  }

  remove(document: CachedDocument): void {
    const recent = this.#documents.get(document)
    if (recent === undefined) return
    clearTimeout(recent.timer)
    this.#documents.delete(document)
    this.#bytes -= recent.bytes
  }
}
