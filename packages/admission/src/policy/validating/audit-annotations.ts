import type { ValidatingAdmissionPolicyBinding } from '@keelson/api/admissionregistration/v1'
import { goJson } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionAttributes } from '../../admission.ts'

const maxValueBytes = 10 * 1024
const failureKey = 'validation.policy.admission.k8s.io/validation_failure'

/** Collects the audit annotations of one policy. Bindings with different parameters can give an annotation several values. */
export class AnnotationCollector {
  readonly #values = new Map<string, Set<string>>()

  add(key: string, value: string): void {
    const values = this.#values.get(key) ?? new Set()
    values.add(truncate(value))
    this.#values.set(key, values)
  }

  /** Adds the annotations to the audit event of the request. */
  publish(policy: string, attributes: AdmissionAttributes): void {
    for (const [key, values] of this.#values) attributes.annotate(`${policy}/${key}`, [...values].join(', '))
  }
}

/** Shortens a value to kube-apiserver's limit, without splitting a character. */
function truncate(value: string): string {
  if (value.length <= maxValueBytes / 3) return value
  const bytes = Buffer.from(value)
  if (bytes.length <= maxValueBytes) return value
  let end = maxValueBytes
  while ((bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

/** Adds a validation that is false to the audit event of the request. */
export function publishFailure(
  attributes: AdmissionAttributes,
  { metadata, spec }: DeepReadonly<ValidatingAdmissionPolicyBinding>,
  expressionIndex: number,
  message: string,
): void {
  const failure = {
    message,
    policy: spec?.policyName ?? '',
    binding: metadata.name ?? '',
    expressionIndex,
    validationActions: spec?.validationActions ?? null,
  }
  attributes.annotate(failureKey, goJson([failure]))
}
