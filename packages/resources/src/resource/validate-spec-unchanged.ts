import { fieldError, fieldPath, immutableMessage, semanticEqual } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { internalForm } from '@keelson/resources-core'

/** What claims and their templates ask for is said once; it is printed as the original has it inside. */
export function validateSpecUnchanged(
  type: 'ResourceClaimSpec' | 'ResourceClaimTemplateSpec',
  spec: unknown,
  old: unknown,
): FieldErrorList {
  return semanticEqual(spec, old) ? [] : [fieldError.invalid(fieldPath('spec'), internalForm(type, spec), immutableMessage)]
}
