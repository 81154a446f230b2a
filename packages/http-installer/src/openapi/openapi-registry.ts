import type { GroupVersion } from '@keelson/apimachinery'
import type { Route } from '@keelson/exchange'
import type { PathItem, Refer } from './path-items.ts'
import { loadDescriptions } from '@keelson/api/openapi'
import type { Descriptions, KindDocument } from '@keelson/api/openapi'
import { generateSwaggerDocument } from './swagger-document.ts'
import type { SwaggerSources } from './swagger-document.ts'
import { generateSwaggerMessage } from './swagger-message.ts'
import type { RemoteSwagger } from './remote-swagger.ts'
import { CachedDocument, RecentDocuments } from './cached-document.ts'

/** Source of the OpenAPI documents of one group version: its paths and schemas. */
export interface DocumentSource {
  /** Group version of the document. Undefined for documents that belong to no group version. */
  readonly groupVersion?: GroupVersion
  /** Generates the OpenAPI v3 document in pieces of text. */
  writeDocument(descriptions: Descriptions): Iterable<string>
  /** Generates the paths for the OpenAPI v2 document of the whole server. Calls `refer` for each schema that a path uses. */
  listPaths(refer: Refer): Iterable<PathItem>
  /** Returns the kinds whose definitions are not made from the schemas given to `refer`. Default: none. */
  listKinds?(): Iterable<KindDocument>
  /** Returns a text that identifies the content of the documents. Default: only the content itself identifies it. */
  getIdentity?(descriptions: Descriptions): string
}

/** An OpenAPI v3 document that another server serves. */
export interface RemoteDocument {
  /** URL of the document in the index, with its hash. */
  readonly url: string
  readonly route: Pick<Route, 'serve'>
}

interface Entry {
  readonly source: DocumentSource
  readonly document: CachedDocument
}

/** A registry of OpenAPI documents: v3 by path ("api/v1", "apis/apps/v1"), and v2 for all of them together. */
export class OpenApiRegistry {
  readonly #entries = new Map<string, Entry>()
  /** Documents of other servers by path. Installed documents take precedence. */
  readonly #remote = new Map<string, RemoteDocument>()
  readonly #recent = new RecentDocuments()
  #remoteSwaggers: readonly RemoteSwagger[] = []
  #swagger: Readonly<Record<SwaggerForm, CachedDocument>> | undefined

  add(path: string, source: DocumentSource): () => void {
    const entry = {
      source,
      document: new CachedDocument(
        async () => source.writeDocument(await loadDescriptions()),
        this.#recent,
        source.getIdentity && (async () => source.getIdentity?.(await loadDescriptions())),
      ),
    }
    this.#entries.get(path)?.document.close()
    this.#entries.set(path, entry)
    this.#swagger = undefined
    return () => {
      entry.document.close()
      if (this.#entries.get(path) !== entry) return
      this.#entries.delete(path)
      this.#swagger = undefined
    }
  }

  /** Adds a document of another server, or replaces it. It is served only if no installed document has the path. */
  addRemote(path: string, document: RemoteDocument): () => void {
    this.#remote.set(path, document)
    return () => {
      if (this.#remote.get(path) === document) this.#remote.delete(path)
    }
  }

  /** Sets the OpenAPI v2 documents of other servers, which are merged into that of this server. Those with higher priority come first. */
  setRemoteSwaggers(remotes: readonly RemoteSwagger[]): void {
    this.#remoteSwaggers = remotes
    this.#swagger = undefined
  }

  /** Returns the document of another server at a path. Returns undefined if an installed document has the path. */
  remote(path: string): RemoteDocument | undefined {
    return this.#entries.has(path) ? undefined : this.#remote.get(path)
  }

  /** Returns the paths of the documents of other servers. */
  remotePaths(): Iterable<string> {
    return this.#remote.keys()
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
      json: new CachedDocument(
        async () => generateSwaggerDocument(await this.#listSwaggerSources()),
        this.#recent,
        () => this.#identity(),
      ),
      protobuf: new CachedDocument(async () => generateSwaggerMessage(await this.#listSwaggerSources()), this.#recent),
    }
    return this.#swagger[form]
  }

  /**
   * Returns a text that identifies the version 2 document if there are custom resources. The document is then too large to generate it only for
   * its hash.
   */
  async #identity(): Promise<string | undefined> {
    const entries = [...this.#entries].toSorted(([a], [b]) => (a < b ? -1 : 1))
    if (!entries.some(([, { source }]) => source.getIdentity !== undefined)) return undefined
    const hashes: string[] = []
    for (const [path, { document }] of entries) hashes.push(`${path} ${await document.etag()}`)
    for (const { hash } of this.#remoteSwaggers) hashes.push(hash)
    return hashes.join('\n')
  }

  async #listSwaggerSources(): Promise<SwaggerSources> {
    const descriptions = await loadDescriptions()
    return { sources: this.paths().map((path) => this.#entries.get(path)!.source), remotes: this.#remoteSwaggers, descriptions }
  }
}

/** Encodings of the OpenAPI v2 document. */
export type SwaggerForm = 'json' | 'protobuf'
