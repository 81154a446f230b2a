export { answerRules, askRecordedRule } from './answer-rules.ts'
export type { RecordedRule, RuleAnswer, RuleQuestion } from './answer-rules.ts'
export { applySchema } from './schema-answers.ts'
export type { SchemaAnswer, SchemaQuestion } from './schema-answers.ts'
