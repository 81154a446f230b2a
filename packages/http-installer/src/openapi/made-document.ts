import { createHash } from 'node:crypto'
import { TimeSlice } from '@keelson/apimachinery'

/** Makes a document, piece by piece, each time it is called. */
export type DocumentPieces = () => Iterable<string | Uint8Array>

const keptMilliseconds = 10_000

/**
 * A document that is made on demand and dropped soon after, because clients cache it by its hash. Only the hash is kept.
 */
export class MadeDocument {
  readonly #pieces: DocumentPieces
  #etag: Promise<string> | undefined
  #recent: WeakRef<Promise<Buffer>> | undefined

  constructor(pieces: DocumentPieces) {
    this.#pieces = pieces
  }

  /** Upper-case SHA-512 of the document. */
  etag(): Promise<string> {
    return (this.#etag ??= this.bytes().then((bytes) => createHash('sha512').update(bytes).digest('hex').toUpperCase()))
  }

  /** Simultaneous requests share one result. */
  bytes(): Promise<Buffer> {
    const recent = this.#recent?.deref()
    if (recent !== undefined) return recent
    const made = make(this.#pieces)
    this.#recent = new WeakRef(made)
    setTimeout(() => void made, keptMilliseconds).unref()
    return made
  }
}

async function make(source: DocumentPieces): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  const slice = new TimeSlice()
  for (const piece of source()) {
    pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece)
    const pause = slice.pauseIfOver()
    if (pause) await pause
  }
  return Buffer.concat(pieces)
}
