export { listChildren, getQualifiedName } from './ast.ts'
export type {
  Call,
  Comprehension,
  Constant,
  Expr,
  Ident,
  ListExpr,
  Literal,
  MapEntry,
  MapExpr,
  Select,
  Struct,
  StructField,
  Unspecified,
} from './ast.ts'
export type { Checked, Reference } from './checker/checker.ts'
export { compile, CompileError, compileStepwise, parse, findProgramError } from './compile.ts'
export type { Compiled, Parsed } from './compile.ts'
export { estimateCost, estimateCostStepwise } from './cost/estimate-cost.ts'
export type { Range } from './cost/range.ts'
export type { SizeHints } from './cost/sized-node.ts'
export type { FunctionDeclaration, Overload } from './declarations/function-declaration.ts'
export { declareStructs } from './declarations/structs.ts'
export type { StructDeclarations } from './declarations/structs.ts'
export { Environment } from './environment.ts'
export type { EnvironmentOptions, Library, StructTypes } from './environment.ts'
export { Issues } from './issues.ts'
export type { Issue } from './issues.ts'
export { buildAdmissionEnvironment, toVariableType } from './kubernetes/admission-environment.ts'
export type { AdmissionScope } from './kubernetes/admission-environment.ts'
export { compileAdmission } from './kubernetes/compile-admission.ts'
export type { AdmissionPurpose } from './kubernetes/compile-admission.ts'
export { AdmissionTypeChecker } from './kubernetes/admission-type-checker.ts'
export type { AdmissionTypeCheckerOptions, CheckedKind } from './kubernetes/admission-type-checker.ts'
export { compileDeviceSelector, isTooComplex } from './kubernetes/compile-device-selector.ts'
export type { Compilation } from './kubernetes/compile-for.ts'
export { deviceEnvironment, getDeviceSize } from './kubernetes/device-environment.ts'
export { authorizationEnvironment, compileMatchCondition } from './kubernetes/authorization-environment.ts'
export { MatchConditions } from './kubernetes/match-conditions.ts'
export type { MatchResult, ReviewSpec } from './kubernetes/match-conditions.ts'
export { claimsEnvironment, compileAuthentication, userEnvironment } from './kubernetes/authentication-environment.ts'
export type { AuthenticationPurpose } from './kubernetes/authentication-environment.ts'
export { toClaimsValue, toUserValue } from './kubernetes/claims.ts'
export { checkTypeNames, toConfiguration, toPatchValue } from './kubernetes/patch-values.ts'
export { buildRuleEnvironments } from './kubernetes/rule-environment.ts'
export type { RuleEnvironments } from './kubernetes/rule-environment.ts'
export { escapeFieldName, unescapeFieldName } from './schema/field-names.ts'
export type { SchemaKind, SchemaType } from './schema/schema-type.ts'
export { readBySchema } from './values/schema-value.ts'
export { Lazy } from './evaluate/activation.ts'
export type { Activation } from './evaluate/activation.ts'
export { CostBudget, outOfBudget } from './evaluate/cost-budget.ts'
export { costLimitPerExpression, Program } from './evaluate/program.ts'
export type { EvaluateOptions, Evaluation } from './evaluate/program.ts'
export { AuthorizerValue } from './functions/authorization.ts'
export type { AuthorizationDecision, CheckAuthorization } from './functions/authorization.ts'
export { parseAddress } from './functions/ip-address.ts'
export { isBase64, isDate, isDateTime, isUuid } from './functions/named-formats.ts'
export { parseUrl } from './functions/parse-url.ts'
export type { UrlParts } from './functions/parse-url.ts'
export { compilePattern, isPatternCached } from './regexp/compile-pattern.ts'
export { roundToEven } from './functions/format-string.ts'
export { trimSpace } from './functions/strings.ts'
export { CelList, listElements } from './values/list.ts'
export { CelMap } from './values/map.ts'
export { Duration } from './values/duration.ts'
export { Timestamp } from './values/timestamp.ts'
export { getTypeName } from './values/text.ts'
export { toNative } from './values/native.ts'
export { adapt, CelError, Double, OpaqueValue, Optional, StructValue, TypeValue, Uint } from './values/value.ts'
export type { Int, Value } from './values/value.ts'
export { baseEnvironment } from './libraries.ts'
export type { Macro } from './macros/macro.ts'
export { findPatternError } from './regexp/check-pattern.ts'
export { Source } from './source.ts'
export type { Location } from './source.ts'
export { getExpressionMetrics } from './expression-metrics.ts'
export type { ExpressionMetrics } from './expression-metrics.ts'
export { isIdentifier } from './syntax/reserved-words.ts'
export {
  listType,
  mapType,
  createOpaqueType,
  createOptionalType,
  formatResultType,
  equalsType,
  createStructType,
  types,
  formatType,
} from './types/type.ts'
export type { Type, TypeKind } from './types/type.ts'
export { unparse } from './unparse.ts'
