import type { MatchCondition, MatchResources, ParamKind, ParamRef, Variable } from '@keelson/api/admissionregistration/v1'
import type { KubeObject } from '@keelson/apimachinery'

/** The fields that validating and mutating policies share. */
export interface Policy extends KubeObject {
  spec?: {
    paramKind?: ParamKind
    matchConstraints?: MatchResources
    failurePolicy?: string
    matchConditions?: MatchCondition[]
    variables?: Variable[]
  }
}

/** The fields that the bindings of validating and mutating policies share. */
export interface PolicyBinding extends KubeObject {
  spec?: {
    policyName?: string
    paramRef?: ParamRef
    matchResources?: MatchResources
  }
}
