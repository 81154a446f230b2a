import type { Pod, PodSpec } from '@keelson/api/core/v1'
import { aggregateMessages, fieldError, formatFieldError, newFieldPath, newUnknownError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldError, FieldPath } from '@keelson/apimachinery'
import { listContainers, listContainersWithPath, listMutableContainers } from '@keelson/resources-core'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import { newForbiddenWrite } from '../forbidden.ts'

const policy = 'Always'

/**
 * Creates the plugin AlwaysPullImages. It sets the pull policy of all containers and image volumes to Always, so that a pod needs the
 * credentials for its images even if the node has them. Updates that bring no new image are left alone.
 */
export function createAlwaysPullImagesPlugin(): AdmissionPlugin {
  return {
    name: 'AlwaysPullImages',
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods'],
    admit(attributes) {
      const { spec } = attributes.object as Pod
      if (spec === undefined || hasOnlyKnownImages(attributes)) return
      for (const container of listMutableContainers(spec)) container.imagePullPolicy = policy
      for (const { image } of spec.volumes ?? []) if (image !== undefined) image.pullPolicy = policy
    },
    validate(attributes) {
      const { spec } = attributes.object as Pod
      if (spec === undefined || hasOnlyKnownImages(attributes)) return
      const errors = findOtherPolicies(spec)
      if (errors.length > 0)
        throw newUnknownError(aggregateMessages(errors.map((error) => newForbiddenWrite(attributes, formatFieldError(error)).message)))
    },
  }
}

/** Returns whether a write is an update whose containers use only images of the stored pod. */
function hasOnlyKnownImages({ operation, object, oldObject }: AdmissionAttributes): boolean {
  if (operation !== 'UPDATE') return false
  const known = new Set(listImages(oldObject as DeepReadonly<Pod>))
  return listImages(object as Pod).every((image) => known.has(image))
}

function listImages({ spec }: DeepReadonly<Pod>): readonly (string | undefined)[] {
  return spec === undefined ? [] : listContainers(spec).map(({ image }) => image)
}

function findOtherPolicies(spec: PodSpec): readonly FieldError[] {
  const errors: FieldError[] = []
  const check = (path: FieldPath, value = ''): void => {
    if (value !== policy) errors.push(fieldError.notSupported(path, value, [policy]))
  }
  const path = newFieldPath('spec')
  for (const { container, path: at } of listContainersWithPath(spec, path)) check(at.child('imagePullPolicy'), container.imagePullPolicy)
  for (const [i, { image }] of (spec.volumes ?? []).entries()) {
    if (image !== undefined) check(path.child('volumes').index(i).child('image').child('pullPolicy'), image.pullPolicy)
  }
  return errors
}
