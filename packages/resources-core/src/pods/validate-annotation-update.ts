import type { Pod } from '@keelson/api/core/v1'
import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { appArmorContainerPrefix, mirrorAnnotation } from '../pod-spec/annotation-keys.ts'
import type { PodRules } from '../pod-spec/pod-rules.ts'
import { validatePodAnnotations } from '../pod-spec/validate-annotations.ts'

const path = newFieldPath('metadata', 'annotations')

/** Rejects changes of a pod's AppArmor and mirror annotations. */
export function validateAnnotationUpdate(pod: DeepReadonly<Pod>, old: DeepReadonly<Pod>, rules: PodRules): FieldErrorList {
  const annotations = pod.metadata.annotations ?? {}
  const before = old.metadata.annotations ?? {}
  const errors: FieldErrorList = []
  const forbid = (key: string, action: string): void => {
    if (key.startsWith(appArmorContainerPrefix)) errors.push(fieldError.forbidden(path.key(key), `may not ${action} AppArmor annotations`))
    if (key === mirrorAnnotation) errors.push(fieldError.forbidden(path.key(key), `may not ${action} mirror pod annotation`))
  }
  for (const [key, value] of Object.entries(before)) if (annotations[key] !== value) forbid(key, 'remove or update')
  for (const key of Object.keys(annotations)) if (!Object.hasOwn(before, key)) forbid(key, 'add')
  return [...errors, ...validatePodAnnotations(annotations, { spec: pod.spec ?? { containers: null }, rules }, path)]
}
