import type { GroupVersion } from '@keelson/apimachinery'
import type { PathItem, Refer } from './path-items.ts'
import { generateSwaggerDocument } from './swagger-document.ts'
import { generateSwaggerMessage } from './swagger-message.ts'
import { createHash } from 'node:crypto'
import { TimeSlice } from '@keelson/apimachinery'

/** Source of the OpenAPI documents of one group version: its paths and schemas. */
export interface DocumentSource {
  /** Group version of the document. Undefined for documents that belong to no group version. */
  readonly groupVersion?: GroupVersion
  /** Generates the OpenAPI v3 document in pieces of text. */
  document(): Iterable<string>
  /** Generates the paths for the OpenAPI v2 document of the whole server. Calls `refer` for each schema that a path uses. */
  paths(refer: Refer): Iterable<PathItem>
}

interface Entry {
  readonly source: DocumentSource
  readonly document: CachedDocument
}

/** A registry of OpenAPI documents: v3 by path ("api/v1", "apis/apps/v1"), and v2 for all of them together. */
export class OpenApiRegistry {
  readonly #entries = new Map<string, Entry>()
  #swagger: Readonly<Record<SwaggerForm, CachedDocument>> | undefined

  add(path: string, source: DocumentSource): () => void {
    const entry = { source, document: new CachedDocument(() => source.document()) }
    this.#entries.set(path, entry)
    this.#swagger = undefined
    return () => {
      if (this.#entries.get(path) !== entry) return
      this.#entries.delete(path)
      this.#swagger = undefined
    }
  }

  paths(): string[] {
    return [...this.#entries.keys()].toSorted()
  }

  /** Returns the OpenAPI v3 document at a path. Returns undefined for an unknown group version. */
  document(path: string): CachedDocument | undefined {
    return this.#entries.get(path)?.document
  }

  /** Returns the OpenAPI v2 document of the whole server. It is generated again after each change of the groups. */
  swagger(form: SwaggerForm): CachedDocument {
    this.#swagger ??= {
      json: new CachedDocument(() => generateSwaggerDocument(this.#sources())),
      protobuf: new CachedDocument(() => generateSwaggerMessage(this.#sources())),
    }
    return this.#swagger[form]
  }

  #sources(): DocumentSource[] {
    return this.paths().map((path) => this.#entries.get(path)!.source)
  }
}

/** Encodings of the OpenAPI v2 document. */
export type SwaggerForm = 'json' | 'protobuf'

/** Function that generates a document in pieces. Each call generates the document again. */
type DocumentPieces = () => Iterable<string | Uint8Array>

const keptMilliseconds = 10_000

/** A document that is generated on demand. It is dropped soon after use, because clients cache it by its hash. Only the hash is kept. */
class CachedDocument {
  readonly #pieces: DocumentPieces
  #etag: Promise<string> | undefined
  #recent: WeakRef<Promise<Buffer>> | undefined

  constructor(pieces: DocumentPieces) {
    this.#pieces = pieces
  }

  /** Returns the SHA-512 hash of the document in upper-case hexadecimal. */
  etag(): Promise<string> {
    return (this.#etag ??= this.bytes().then((bytes) => createHash('sha512').update(bytes).digest('hex').toUpperCase()))
  }

  /** Returns the bytes of the document. Simultaneous calls share one result. */
  bytes(): Promise<Buffer> {
    const recent = this.#recent?.deref()
    if (recent !== undefined) return recent
    const generated = make(this.#pieces)
    this.#recent = new WeakRef(generated)
    setTimeout(() => void generated, keptMilliseconds).unref()
    return generated
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
