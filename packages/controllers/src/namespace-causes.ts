import { isApiError } from '@keelson/apimachinery'

/** Returns whether a write failed because its namespace is missing or terminating. The write is then unnecessary. */
export function isNamespaceGoing(error: unknown): boolean {
  if (!isApiError(error)) return false
  return error.reason === 'NotFound' || (error.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
}
