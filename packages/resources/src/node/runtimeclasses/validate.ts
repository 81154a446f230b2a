import { coreV1 } from '@keelson/api/core/v1'
import type { Toleration } from '@keelson/api/core/v1'
import type { RuntimeClass, Scheduling } from '@keelson/api/node/v1'
import { fieldError, newFieldPath, validateImmutableField, validateLabels } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import {
  toInternalStruct,
  getNodeLabelDeprecation,
  createPodRules,
  validateContainerResources,
  validateDNSLabel,
  validateTolerations,
} from '@keelson/resources-core'

type ReadonlyClass = DeepReadonly<RuntimeClass>

const handlerPath = newFieldPath('handler')
const rules = createPodRules('template')

export function validateRuntimeClass({ handler, overhead, scheduling }: ReadonlyClass): FieldErrorList {
  return [
    ...(handler === '' ? [fieldError.required(handlerPath)] : validateDNSLabel(handler, handlerPath)),
    ...(overhead === undefined
      ? []
      : validateContainerResources({ limits: overhead.podFixed ?? {} }, { rules, claims: new Set() }, newFieldPath('overhead'))),
    ...(scheduling === undefined ? [] : validateScheduling(scheduling, newFieldPath('scheduling'))),
  ]
}

export function validateRuntimeClassUpdate(runtimeClass: ReadonlyClass, old: ReadonlyClass): FieldErrorList {
  return [...validateRuntimeClass(runtimeClass), ...validateImmutableField(runtimeClass.handler, old.handler, handlerPath)]
}

export function findRuntimeClassWarnings({ scheduling }: ReadonlyClass): string[] {
  return Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) => {
    const message = getNodeLabelDeprecation(key)
    return message === undefined ? [] : [`scheduling.nodeSelector: ${message}`]
  })
}

function validateScheduling({ nodeSelector, tolerations = [] }: DeepReadonly<Scheduling>, path: FieldPath): FieldErrorList {
  const tolerationsPath = path.child('tolerations')
  return [
    ...validateLabels(nodeSelector, path.child('nodeSelector')),
    ...validateTolerations(tolerations, rules, tolerationsPath),
    ...validateUniqueTolerations(tolerations, tolerationsPath),
  ]
}

/** Rejects tolerations that differ only in `tolerationSeconds`. */
function validateUniqueTolerations(tolerations: readonly DeepReadonly<Toleration>[], path: FieldPath): FieldErrorList {
  const visited = new Set<string>()
  return tolerations.flatMap((toleration, i) => {
    const { key = '', operator = '', value = '', effect = '' } = toleration
    const id = JSON.stringify([key, operator, value, effect])
    const isRepeated = visited.has(id)
    visited.add(id)
    return isRepeated ? [fieldError.duplicate(path.index(i), toInternalStruct(coreV1.table.resolve('Toleration'), toleration))] : []
  })
}
