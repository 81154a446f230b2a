import type { PodAffinity, PodAffinityTerm } from '@keelson/api/core/v1'
import { fieldError, nameIsDNSLabel, validateLabelName, validateLabelSelector } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors } from './field-rules.ts'
import type { PodRules } from './pod-rules.ts'
import { validateNodeAffinity, validateWeight } from './validate-node-affinity.ts'
import { validateLabelKeys } from './validate-topology-spread.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

export function validateAffinity({ affinity }: ReadonlyPodSpec, rules: PodRules, specPath: FieldPath): FieldErrorList {
  if (affinity === undefined) return []
  const path = specPath.child('affinity')
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity
  const nodeRules = { allowInvalidLabelValues: rules.allowInvalidNodeAffinityLabelValues }
  return [
    ...(nodeAffinity === undefined ? [] : validateNodeAffinity(nodeAffinity, nodeRules, path.child('nodeAffinity'))),
    ...(podAffinity === undefined ? [] : validatePodTerms(podAffinity, rules, path.child('podAffinity'))),
    ...(podAntiAffinity === undefined ? [] : validatePodTerms(podAntiAffinity, rules, path.child('podAntiAffinity'))),
  ]
}

function validatePodTerms(affinity: DeepReadonly<PodAffinity>, rules: PodRules, path: FieldPath): FieldErrorList {
  const requiredPath = path.child('requiredDuringSchedulingIgnoredDuringExecution')
  const preferredPath = path.child('preferredDuringSchedulingIgnoredDuringExecution')
  return [
    ...(affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []).flatMap((term, i) =>
      validateTerm(term, rules, requiredPath.index(i)),
    ),
    ...(affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ weight, podAffinityTerm }, i) =>
      validateWeight(weight, preferredPath.index(i).child('weight')).concat(
        validateTerm(podAffinityTerm, rules, preferredPath.index(i).child('podAffinityTerm')),
      ),
    ),
  ]
}

function validateTerm(term: DeepReadonly<PodAffinityTerm>, rules: PodRules, path: FieldPath): FieldErrorList {
  const selectorRules = { allowInvalidLabelValue: rules.allowInvalidAffinityLabelValues }
  const { topologyKey = '' } = term
  const topologyPath = path.child('topologyKey')
  return [
    ...validateLabelSelector(term.labelSelector, path.child('labelSelector'), selectorRules),
    ...validateLabelSelector(term.namespaceSelector, path.child('namespaceSelector'), selectorRules),
    ...(term.namespaces ?? []).flatMap((name) => createInvalidErrors(nameIsDNSLabel(name, false), name, path.child('namespace'))),
    ...validateLabelKeys(term, path),
    ...(topologyKey === '' ? [fieldError.required(topologyPath, 'can not be empty')] : []),
    ...validateLabelName(topologyKey, topologyPath),
  ]
}
