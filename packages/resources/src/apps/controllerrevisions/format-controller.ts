import { parseGroupVersion } from '@keelson/apimachinery'
import type { DeepReadonly, OwnerReference } from '@keelson/apimachinery'

/** Formats the controlling owner like "statefulset.apps/web"; "<none>" if there is no such owner. */
export function formatController(owners: readonly DeepReadonly<OwnerReference>[] = []): string {
  const owner = owners.find(({ controller }) => controller === true)
  if (owner === undefined) return '<none>'
  const { group } = parseGroupVersion(owner.apiVersion)
  return `${(group === '' ? owner.kind : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`
}
