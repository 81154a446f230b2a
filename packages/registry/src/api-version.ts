import type { GroupVersion } from '@keelson/apimachinery'

/** Splits at the first slash and never throws, unlike `parseGroupVersion`: clients may send anything. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? { group: '', version: apiVersion } : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}
