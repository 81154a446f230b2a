import type { GroupVersion } from '@keelson/apimachinery'
import { MadeDocument } from './made-document.ts'
import type { PathItem, Refer } from './path-items.ts'
import { swaggerDocument } from './swagger-document.ts'
import { swaggerMessage } from './swagger-message.ts'

/** The paths and schemas of one group version. */
export interface DocumentSource {
  /** Undefined for documents of no group version. */
  readonly groupVersion?: GroupVersion
  /** Its OpenAPI v3 document, in pieces of text. */
  document(): Iterable<string>
  /** Its paths, for the document of the whole server. Passes the schemas that they refer to to `refer`. */
  paths(refer: Refer): Iterable<PathItem>
}

interface Entry {
  readonly source: DocumentSource
  readonly document: MadeDocument
}

/** OpenAPI documents: v3 by path ("api/v1", "apis/apps/v1"), and v2 of all of them together. */
export class OpenApiRegistry {
  readonly #entries = new Map<string, Entry>()
  #swagger: Readonly<Record<SwaggerForm, MadeDocument>> | undefined

  add(path: string, source: DocumentSource): () => void {
    const entry = { source, document: new MadeDocument(() => source.document()) }
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

  /** Undefined: no such group version. */
  document(path: string): MadeDocument | undefined {
    return this.#entries.get(path)?.document
  }

  /** Made again after each change of the groups. */
  swagger(form: SwaggerForm): MadeDocument {
    this.#swagger ??= {
      json: new MadeDocument(() => swaggerDocument(this.#sources())),
      protobuf: new MadeDocument(() => swaggerMessage(this.#sources())),
    }
    return this.#swagger[form]
  }

  #sources(): DocumentSource[] {
    return this.paths().map((path) => this.#entries.get(path)!.source)
  }
}

/** The encodings of the v2 document. */
export type SwaggerForm = 'json' | 'protobuf'
