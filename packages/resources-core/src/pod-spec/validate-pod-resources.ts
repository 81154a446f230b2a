import { aggregateContainers } from '@keelson/api'
import { fieldError, parseQuantity } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { isHugePages } from './resource-names.ts'
import { validatePodLevelResources } from './validate-resources.ts'
import type { ResourceScope } from './validate-resources.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

/** Validates the requests and limits of the pod (`spec.resources`). They must be consistent with those of its containers. */
export function validatePodResources(spec: ReadonlyPodSpec, context: ResourceScope, specPath: FieldPath): FieldErrorList {
  if (spec.resources === undefined) return []
  const path = specPath.child('resources')
  if (spec.os?.name === 'windows') return [fieldError.forbidden(path, 'may not be set for a windows pod')]
  const errors: FieldErrorList = []
  if (spec.resources.claims !== undefined) {
    errors.push(fieldError.forbidden(path.child('claims'), 'claims may not be set for Resources at pod-level'))
  }
  return [...errors, ...validatePodLevelResources(spec.resources, context, path), ...validateContainersFit(spec, path)]
}

function validateContainersFit(spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  const { requests = {}, limits = {} } = spec.resources ?? {}
  for (const [name, sum] of aggregateContainers(spec, 'requests')) {
    const request = requests[name]
    if (request === undefined || sum.compare(parseQuantity(request)) <= 0) continue
    const detail = `must be greater than or equal to aggregate container requests of ${sum}`
    errors.push(fieldError.invalid(path.child('requests').key(name), request, detail))
  }
  for (const [name, sum] of aggregateContainers(spec, 'limits')) {
    const limit = limits[name]
    if (!isHugePages(name) || limit === undefined || sum.compare(parseQuantity(limit)) <= 0) continue
    const detail = `must be greater than or equal to aggregate container limits of ${sum}`
    errors.push(fieldError.invalid(path.child('limits').key(name), limit, detail))
  }
  for (const [i, container] of (spec.containers ?? []).entries()) {
    for (const [name, limit] of Object.entries(container.resources?.limits ?? {})) {
      const podLimit = limits[name]
      if (podLimit === undefined || parseQuantity(limit).compare(parseQuantity(podLimit)) <= 0) continue
      const at = path.child('containers').index(i).key(name).child('limits')
      errors.push(fieldError.invalid(at, limit, `must be less than or equal to pod limits of ${podLimit}`))
    }
  }
  return errors
}
