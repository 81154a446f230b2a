import { resourceV1 } from '@keelson/api/resource/v1'
import { fieldError, newFieldPath, immutableMessage, equalsSemantically } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { toInternalStruct } from '@keelson/resources-core'

/** Rejects changes of the spec of a claim or template. The error message shows kube-apiserver's internal type. */
export function validateSpecUnchanged(
  type: 'ResourceClaimSpec' | 'ResourceClaimTemplateSpec',
  spec: unknown,
  old: unknown,
): FieldErrorList {
  return equalsSemantically(spec, old)
    ? []
    : [fieldError.invalid(newFieldPath('spec'), toInternalStruct(resourceV1.table.resolve(type), spec), immutableMessage)]
}
