export { openAPISchemas, toOpenAPIv3 } from './to-openapi.ts'
export type { OpenAPISchema } from './to-openapi.ts'
export type { GenerateDefinition, KindDocument, OpenAPIVersion, PublishedSchema } from './kind-document.ts'
