export { answer, exampleVariables } from './answers.ts'
export type { Answer } from './answers.ts'
