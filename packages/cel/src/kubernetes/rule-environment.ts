import type { Environment } from '../environment.ts'
import { baseEnvironment } from '../libraries.ts'
import { declareSchema } from '../schema/schema-type.ts'
import type { SchemaType } from '../schema/schema-type.ts'
import { createOptionalType } from '../types/type.ts'

/** The environments of the rules of one schema (`x-kubernetes-validations`). The variables are `self` and `oldSelf`. */
export interface RuleEnvironments {
  readonly plain: Environment
  /** The environment of rules with `optionalOldSelf`. */
  readonly withOptionalOldSelf: Environment
}

/**
 * Returns the environments of a schema's rules. New and stored expressions share an environment, because kube-apiserver 1.36 allows
 * everything of its environment in new expressions: the newest library is that of 1.34.
 */
export function buildRuleEnvironments(schema: SchemaType): RuleEnvironments {
  // kube-apiserver makes the name unpredictable too, so that no expression can depend on it.
  const { type, structs } = declareSchema(schema, `selfType${Math.floor(Math.random() * 1e9)}`)
  return {
    plain: baseEnvironment.extend({ structs: [structs], variables: { self: type, oldSelf: type } }),
    withOptionalOldSelf: baseEnvironment.extend({ structs: [structs], variables: { self: type, oldSelf: createOptionalType(type) } }),
  }
}
