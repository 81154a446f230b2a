export type { OpenAPISchema } from './open-api-schema.ts'
export { openAPISchemas, toOpenAPIv3 } from './to-openapi.ts'
