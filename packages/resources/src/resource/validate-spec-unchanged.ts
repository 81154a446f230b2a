import { resourceV1 } from '@keelson/api/resource/v1'
import { fieldError, fieldPath, immutableMessage, semanticEqual } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { toInternalStruct } from '@keelson/resources-core'

/** Rejects changes of the spec of a claim or template. The error message shows kube-apiserver's internal type. */
export function validateSpecUnchanged(
  type: 'ResourceClaimSpec' | 'ResourceClaimTemplateSpec',
  spec: unknown,
  old: unknown,
): FieldErrorList {
  return semanticEqual(spec, old)
    ? []
    : [fieldError.invalid(fieldPath('spec'), toInternalStruct(resourceV1.table.resolve(type), spec), immutableMessage)]
}
