import { coreV1 } from '@keelson/api/core/v1'
import type { EphemeralContainer, Pod, PodSpec } from '@keelson/api/core/v1'
import { copyObject, fieldError, newFieldPath, quote, equalsSemantically, unnamedPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import type { SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '../../keep-member.ts'
import { toInternalStruct } from '../../internal-structs/to-internal-struct.ts'
import { formatLineDiff } from '../../line-diff.ts'
import { mirrorAnnotation } from '../../pod-spec/annotation-keys.ts'
import { dropDisabledPodFields } from '../../pod-spec/drop-disabled-fields.ts'
import { createPodRules } from '../../pod-spec/pod-rules.ts'
import { countGeneration } from '../strategy.ts'
import { validateAnnotationUpdate } from '../validate-annotation-update.ts'
import { validatePod } from '../validate.ts'
import { keepMetadata } from './keep-metadata.ts'

const path = newFieldPath('spec', 'ephemeralContainers')

/**
 * Strategy of pods/ephemeralcontainers, which adds debugging containers to a running pod. Existing containers cannot be changed or removed.
 */
export const ephemeralContainers: SubresourceStrategy<Pod> = {
  update: {
    prepareForUpdate(_context, pod, old) {
      const added = pod.spec?.ephemeralContainers
      keepMember(pod, old, 'status')
      keepMetadata(pod, old)
      const spec = copyObject(old.spec ?? { containers: null }) as PodSpec
      if (added === undefined) delete spec.ephemeralContainers
      else spec.ephemeralContainers = added
      pod.spec = spec
      dropDisabledPodFields(spec, old.spec)
      countGeneration(pod, old)
    },
    validateUpdate: (_context, pod, old) => validateEphemeralUpdate(pod, old),
  },
  tabled: false,
}

function validateEphemeralUpdate(pod: DeepReadonly<Pod>, old: DeepReadonly<Pod>): FieldErrorList {
  if (old.metadata.annotations?.[mirrorAnnotation] !== undefined) {
    return [fieldError.forbidden(unnamedPath, 'static pods do not support ephemeral containers')]
  }
  const rules = createPodRules('pod', old)
  const containers = pod.spec?.ephemeralContainers ?? []
  return [
    ...validatePod(pod, rules),
    ...validateAnnotationUpdate(pod, old, rules),
    ...(old.spec?.ephemeralContainers ?? []).flatMap((container) => validateKept(container, containers)),
  ]
}

function validateKept(old: DeepReadonly<EphemeralContainer>, containers: readonly DeepReadonly<EphemeralContainer>[]): FieldErrorList {
  const container = containers.findLast(({ name }) => name === old.name)
  const subject = `existing ephemeral containers ${quote(old.name)}`
  if (container === undefined) return [fieldError.forbidden(path, `${subject} may not be removed\n`)]
  if (equalsSemantically(container, old)) return []
  return [fieldError.forbidden(path, `${subject} may not be changed\n${diffContainers(old, container)}`)]
}

function diffContainers(old: DeepReadonly<EphemeralContainer>, container: DeepReadonly<EphemeralContainer>): string {
  return formatLineDiff(
    toInternalStruct(coreV1.table.resolve('EphemeralContainer'), old),
    toInternalStruct(coreV1.table.resolve('EphemeralContainer'), container),
  )
}
