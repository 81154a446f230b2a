export { applySchema } from './schema-answers.ts'
export type { SchemaAnswer, SchemaQuestion } from './schema-answers.ts'
