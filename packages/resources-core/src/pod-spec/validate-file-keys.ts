import { fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { listContainersWithPath, hasContainer } from './visit-containers.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

/** Validates environment variables that are read from a file (`fileKeyRef`). The volume of the file must be an emptyDir. */
export function validateFileKeyVolumes(spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  if (!hasContainer(spec, ({ env }) => env?.some(({ valueFrom }) => valueFrom?.fileKeyRef !== undefined) ?? false)) return []
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]))
  const errors: FieldErrorList = []
  for (const { container, path: at } of listContainersWithPath(spec, path)) {
    for (const [i, { valueFrom }] of (container.env ?? []).entries()) {
      if (valueFrom?.fileKeyRef === undefined) continue
      const { volumeName } = valueFrom.fileKeyRef
      const namePath = at.child('env').index(i).child('valueFrom', 'fileKeyRef', 'volumeName')
      const volume = volumes.get(volumeName)
      if (volume === undefined) errors.push(fieldError.notFoundField(namePath, volumeName))
      else if (volume.emptyDir === undefined) {
        errors.push(fieldError.invalid(namePath, volumeName, 'referenced volume must be of type emptyDir'))
      }
    }
  }
  return errors
}
