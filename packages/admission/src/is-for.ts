import type { AdmissionAttributes } from './admission.ts'

/** Is the write about this resource itself, not about one of its subresources? */
export function isFor({ resource, subresource }: AdmissionAttributes, name: string, group = ''): boolean {
  return resource.resource === name && resource.group === group && subresource === ''
}
