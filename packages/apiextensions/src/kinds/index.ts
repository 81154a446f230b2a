export { defineKind } from './define-kind.ts'
export type {
  CustomInput,
  CustomKind,
  CustomObject,
  Definition,
  DefinitionOptions,
  KindColumn,
  KindOptions,
  KindRule,
  RuleFinding,
  RulesModule,
} from './define-kind.ts'
export type { AnySchema, FromJsonSchema, InputOf, JsonSchema, OutputOf, StandardSchema } from './json-schema.ts'
