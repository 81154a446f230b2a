import type { Pod } from '@keelson/api/core/v1'
import { fieldError, fieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { appArmorContainerPrefix, mirrorAnnotation } from '../pod-spec/annotation-keys.ts'
import type { PodRules } from '../pod-spec/pod-rules.ts'
import { validatePodAnnotations } from '../pod-spec/validate-annotations.ts'

const path = fieldPath('metadata', 'annotations')

/** Annotations that were decided on when the pod was made stay as they are. */
export function validateAnnotationUpdate(pod: DeepReadonly<Pod>, old: DeepReadonly<Pod>, rules: PodRules): FieldErrorList {
  const annotations = pod.metadata.annotations ?? {}
  const before = old.metadata.annotations ?? {}
  const errors: FieldErrorList = []
  const refuse = (key: string, doing: string): void => {
    if (key.startsWith(appArmorContainerPrefix)) errors.push(fieldError.forbidden(path.key(key), `may not ${doing} AppArmor annotations`))
    if (key === mirrorAnnotation) errors.push(fieldError.forbidden(path.key(key), `may not ${doing} mirror pod annotation`))
  }
  for (const [key, value] of Object.entries(before)) if (annotations[key] !== value) refuse(key, 'remove or update')
  for (const key of Object.keys(annotations)) if (!Object.hasOwn(before, key)) refuse(key, 'add')
  return [...errors, ...validatePodAnnotations(annotations, { spec: pod.spec ?? { containers: null }, rules }, path)]
}
