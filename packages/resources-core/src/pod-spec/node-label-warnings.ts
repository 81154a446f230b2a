import type { NodeSelectorTerm } from '@keelson/api/core/v1'
import { isValidLabelValue } from '@keelson/apimachinery'
import type { DeepReadonly, FieldPath, LabelSelector } from '@keelson/apimachinery'

const deprecated: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
])

/** Returns the deprecation warning for a node label. Returns undefined if the label is not deprecated. */
export function getNodeLabelDeprecation(key: string): string | undefined {
  return deprecated.get(key)
}

/** Returns warnings about deprecated labels in a selector of node labels. */
export function findNodeLabelSelectorWarnings({ matchExpressions, matchLabels }: DeepReadonly<LabelSelector>, path: FieldPath): string[] {
  const expressions = (matchExpressions ?? []).flatMap(({ key }, i) => {
    const message = getNodeLabelDeprecation(key)
    return message === undefined ? [] : [`${path.child('matchExpressions').index(i).child('key')}: ${key} is ${message}`]
  })
  const labels = Object.keys(matchLabels ?? {}).flatMap((key) => {
    const message = getNodeLabelDeprecation(key)
    return message === undefined ? [] : [`${path.child('matchLabels').child(key)}: ${message}`]
  })
  return [...expressions, ...labels]
}

export function findNodeTermWarnings(
  term: DeepReadonly<NodeSelectorTerm>,
  { path, checkValues }: { readonly path: FieldPath; readonly checkValues: boolean },
): string[] {
  return (term.matchExpressions ?? []).flatMap(({ key, values = [] }, i) => {
    const at = path.child('matchExpressions').index(i)
    const message = getNodeLabelDeprecation(key)
    const warnings = message === undefined ? [] : [`${at.child('key')}: ${key} is ${message}`]
    if (!checkValues) return warnings
    const valueWarnings = values.flatMap((value, j) =>
      isValidLabelValue(value).map((message) => `${at.child('values').index(j)}: ${value} is invalid, ${message}`),
    )
    return warnings.concat(valueWarnings)
  })
}
