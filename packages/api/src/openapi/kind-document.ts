/** Version of the OpenAPI specification. */
export type OpenAPIVersion = 2 | 3

/** A schema of an OpenAPI document, by the names of its members. */
export type PublishedSchema = Record<string, unknown>

/** Generates a definition. Yields where other work may run. References in the definition are in the version of the document. */
export type GenerateDefinition = (version: OpenAPIVersion) => Generator<undefined, PublishedSchema, undefined>

/** OpenAPI definitions of a kind that are not made from its `StructSchema`, as those of a custom resource. */
export interface KindDocument {
  /** Identifies the content of the definitions. Definitions with the same identity are equal, also after a restart and on other servers. */
  readonly identity: string
  /** Generators of the definitions by name: first that of the kind, then that of its list. */
  readonly definitions: ReadonlyMap<string, GenerateDefinition>
}
