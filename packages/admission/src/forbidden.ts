import { newForbidden } from '@keelson/apimachinery'
import type { ApiError, StatusCause } from '@keelson/apimachinery'
import type { AdmissionAttributes } from './admission.ts'

/** Creates the 403 error with which a plugin rejects a write. The message contains the object's name or generateName. */
export function newForbiddenWrite(
  { resource, name, object }: AdmissionAttributes,
  message: string,
  causes: readonly StatusCause[] = [],
): ApiError {
  const { name: objectName = '', generateName = '' } = object?.metadata ?? {}
  const subject = [name, objectName, generateName].find((text) => text !== '') ?? 'Unknown'
  const error = newForbidden({ group: resource.group, resource: resource.resource }, subject, message)
  if (causes.length > 0) error.status.details = { ...error.status.details, causes: [...(error.status.details?.causes ?? []), ...causes] }
  return error
}
