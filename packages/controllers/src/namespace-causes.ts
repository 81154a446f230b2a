import { isApiError } from '@keelson/apimachinery'

/** Returns whether a write failed because its namespace is gone or terminating, so it is no longer needed. */
export function isNamespaceGoing(error: unknown): boolean {
  if (!isApiError(error)) return false
  return error.reason === 'NotFound' || (error.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
}
