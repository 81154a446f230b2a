import type { AdmissionAttributes } from './admission.ts'

/** Returns whether the write is about the resource itself and not a subresource. */
export function isFor({ resource, subresource }: AdmissionAttributes, name: string, group = ''): boolean {
  return resource.resource === name && resource.group === group && subresource === ''
}
