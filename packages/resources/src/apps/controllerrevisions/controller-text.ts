import { parseGroupVersion } from '@keelson/apimachinery'
import type { DeepReadonly, OwnerReference } from '@keelson/apimachinery'

/** "statefulset.apps/web", of the owner that controls the object. */
export function controllerText(owners: readonly DeepReadonly<OwnerReference>[] = []): string {
  const owner = owners.find(({ controller }) => controller === true)
  if (owner === undefined) return '<none>'
  const { group } = parseGroupVersion(owner.apiVersion)
  return `${(group === '' ? owner.kind : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`
}
