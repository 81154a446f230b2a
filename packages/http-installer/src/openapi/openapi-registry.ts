import { createHash } from 'node:crypto'

/** Makes a document anew, piece by piece. */
export type DocumentSource = () => Iterable<string>

interface Entry {
  readonly source: DocumentSource
  etag: Promise<string> | undefined
}

const sliceMilliseconds = 5
const keptMilliseconds = 10_000

/**
 * OpenAPI documents by path ("api/v1", "apis/apps/v1"). Only their hashes are kept; a document itself is made when it is asked for and
 * forgotten soon after, since clients keep what they have by its hash.
 */
export class OpenApiRegistry {
  readonly #entries = new Map<string, Entry>()
  readonly #recent = new WeakMap<Entry, WeakRef<Promise<Buffer>>>()

  add(path: string, source: DocumentSource): () => void {
    const entry: Entry = { source, etag: undefined }
    this.#entries.set(path, entry)
    return () => {
      if (this.#entries.get(path) === entry) this.#entries.delete(path)
    }
  }

  paths(): string[] {
    return [...this.#entries.keys()].toSorted()
  }

  /** Upper-case SHA-512 of the document; undefined for an unknown path. */
  etag(path: string): Promise<string> | undefined {
    const entry = this.#entries.get(path)
    if (entry === undefined) return undefined
    return (entry.etag ??= this.#document(entry).then((bytes) => createHash('sha512').update(bytes).digest('hex').toUpperCase()))
  }

  document(path: string): Promise<Buffer> | undefined {
    const entry = this.#entries.get(path)
    return entry && this.#document(entry)
  }

  /** Requests that come together share one making. */
  #document(entry: Entry): Promise<Buffer> {
    const recent = this.#recent.get(entry)?.deref()
    if (recent !== undefined) return recent
    const made = make(entry.source)
    this.#recent.set(entry, new WeakRef(made))
    setTimeout(() => void made, keptMilliseconds).unref()
    return made
  }
}

async function make(source: DocumentSource): Promise<Buffer> {
  const pieces: Buffer[] = []
  let sliceStart = performance.now()
  for (const piece of source()) {
    pieces.push(Buffer.from(piece))
    if (performance.now() - sliceStart < sliceMilliseconds) continue
    await new Promise<void>((resolve) => setImmediate(resolve))
    sliceStart = performance.now()
  }
  return Buffer.concat(pieces)
}
