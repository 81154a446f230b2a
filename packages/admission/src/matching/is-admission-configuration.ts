import type { AdmissionAttributes } from '../admission.ts'

const kinds: ReadonlySet<string> = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
])

/**
 * Returns whether a write is to a configuration of webhooks or policies. Webhooks and policies do not apply to these, because a wrong one
 * could not be removed any more.
 */
export function isAdmissionConfiguration({ kind }: AdmissionAttributes): boolean {
  return kind.group === 'admissionregistration.k8s.io' && kinds.has(kind.kind)
}
