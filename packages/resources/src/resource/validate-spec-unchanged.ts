import { fieldError, fieldPath, immutableMessage, semanticEqual } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { internalForm } from '@keelson/resources-core'

/** Specs of claims and templates are immutable. The error prints kube-apiserver's internal type. */
export function validateSpecUnchanged(
  type: 'ResourceClaimSpec' | 'ResourceClaimTemplateSpec',
  spec: unknown,
  old: unknown,
): FieldErrorList {
  return semanticEqual(spec, old) ? [] : [fieldError.invalid(fieldPath('spec'), internalForm(type, spec), immutableMessage)]
}
