import { isApiError } from '@keelson/apimachinery'

/** The write came too late, and is not wanted any more: the namespace is gone or going. */
export function isNamespaceGoing(error: unknown): boolean {
  if (!isApiError(error)) return false
  return error.reason === 'NotFound' || (error.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
}
