import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import { quote } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { parseUrl } from '@keelson/cel'
import type { ConditionState } from './conditions.ts'

/** Annotation with the URL of the review that approved an API in a group of the Kubernetes project. */
export const approvalAnnotation = 'api-approved.kubernetes.io'
const policy = 'see https://github.com/kubernetes/enhancements/pull/1111'

/** Returns whether the group belongs to the Kubernetes project, so that its APIs need an approval. */
function isProtectedGroup(group: string): boolean {
  return ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`))
}

/** Returns the condition KubernetesAPIApprovalPolicyConformant. Returns undefined for groups that need no approval. */
export function computeApproval({ metadata, spec }: DeepReadonly<CustomResourceDefinition>): ConditionState | undefined {
  if (!isProtectedGroup(spec.group)) return undefined
  const value = metadata.annotations?.[approvalAnnotation] ?? ''
  const required = `protected groups must have approval annotation ${quote(approvalAnnotation)}`
  if (value === '') return { status: 'False', reason: 'MissingAnnotation', message: `${required}, ${policy}` }
  if (value.startsWith('unapproved')) return { status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${quote(value)}` }
  if (hasHost(value)) return { status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${value}` }
  return {
    status: 'False',
    reason: 'InvalidAnnotation',
    message: `${required} with either a URL or a reason starting with "unapproved", ${policy}`,
  }
}

function hasHost(value: string): boolean {
  const url = parseUrl(value)
  return typeof url !== 'string' && url.scheme !== '' && url.host !== ''
}
