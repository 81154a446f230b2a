import type { GroupResource } from '@keelson/apimachinery'

const exempt: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'admissionregistration.k8s.io',
    new Set([
      'validatingadmissionpolicies',
      'validatingadmissionpolicybindings',
      'mutatingadmissionpolicies',
      'mutatingadmissionpolicybindings',
    ]),
  ],
  ['authentication.k8s.io', new Set(['selfsubjectreviews', 'tokenreviews'])],
  [
    'authorization.k8s.io',
    new Set(['localsubjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews']),
  ],
])

/**
 * Returns whether policies do not apply to a resource: policies and bindings, because a wrong policy could not be removed any more, and
 * reviews, on which the cluster depends.
 */
export function isExemptFromPolicies({ group, resource }: GroupResource): boolean {
  return exempt.get(group)?.has(resource) === true
}
