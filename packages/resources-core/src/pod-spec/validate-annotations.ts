import type { Toleration } from '@keelson/api/core/v1'
import { fieldError, getErrorMessage } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { parseAnnotationList, getString } from '../annotation-list.ts'
import {
  appArmorContainerPrefix,
  deletionCostAnnotation,
  mirrorAnnotation,
  seccompContainerPrefix,
  seccompPodAnnotation,
  tolerationsAnnotation,
} from './annotation-keys.ts'
import { hasValidDeletionCost } from './deletion-cost.ts'
import type { PodRules } from './pod-rules.ts'
import { validateDescendingPath } from './validate-paths.ts'
import { validateTolerations } from './validate-tolerations.ts'
import { listContainers } from './visit-containers.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

export type Annotations = Readonly<Record<string, string>>

/** Validates the annotations of a pod or template that Kubernetes itself uses, for example those for AppArmor. */
export function validatePodAnnotations(
  annotations: Annotations,
  { spec, rules }: { readonly spec: ReadonlyPodSpec; readonly rules: PodRules },
  path: FieldPath,
): FieldErrorList {
  const errors: FieldErrorList = []
  const mirror = annotations[mirrorAnnotation]
  if (mirror !== undefined && !spec.nodeName) {
    const detail = 'must set spec.nodeName if mirror pod annotation is set'
    errors.push(fieldError.invalid(path.key(mirrorAnnotation), mirror, detail))
  }
  errors.push(...validateTolerationsAnnotation(annotations[tolerationsAnnotation], rules, path))
  if (!rules.allowInvalidDeletionCost && !hasValidDeletionCost(annotations)) {
    const cost = annotations[deletionCostAnnotation]
    errors.push(fieldError.invalid(path.key(deletionCostAnnotation), cost, 'must be a 32bit integer'))
  }
  const appArmor: string[] = []
  for (const key in annotations) {
    if (key === seccompPodAnnotation || key.startsWith(seccompContainerPrefix))
      errors.push(...validateSeccompAnnotation(annotations[key]!, path.child(key)))
    else if (key.startsWith(appArmorContainerPrefix)) appArmor.push(key)
  }
  return appArmor.length === 0 ? errors : [...errors, ...validateAppArmorAnnotations(annotations, appArmor, spec, path)]
}

function validateTolerationsAnnotation(text: string | undefined, rules: PodRules, path: FieldPath): FieldErrorList {
  if (!text) return []
  try {
    const tolerations = parseAnnotationList(text, 'core.Toleration').map(toToleration)
    return validateTolerations(tolerations, rules, path.child(tolerationsAnnotation))
  } catch (error) {
    return [fieldError.invalid(path, tolerationsAnnotation, getErrorMessage(error))]
  }
}

function toToleration(members: Readonly<Record<string, unknown>>): Toleration {
  const seconds = members['tolerationseconds']
  return {
    key: getString(members, 'key'),
    operator: getString(members, 'operator'),
    value: getString(members, 'value'),
    effect: getString(members, 'effect'),
    ...(typeof seconds === 'number' ? { tolerationSeconds: seconds } : undefined),
  }
}

function validateSeccompAnnotation(profile: string, path: FieldPath): FieldErrorList {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return []
  if (profile.startsWith('localhost/')) return validateDescendingPath(profile.slice('localhost/'.length), path)
  return [fieldError.invalid(path, profile, 'must be a valid seccomp profile')]
}

function validateAppArmorAnnotations(
  annotations: Annotations,
  keys: readonly string[],
  spec: ReadonlyPodSpec,
  path: FieldPath,
): FieldErrorList {
  const names = new Set(listContainers(spec).map(({ name }) => name))
  const errors: FieldErrorList = []
  for (const key of keys) {
    const profile = annotations[key]!
    const name = key.slice(appArmorContainerPrefix.length)
    if (!names.has(name)) errors.push(fieldError.invalid(path.key(key), name, 'container not found'))
    if (profile === '' || profile === 'runtime/default' || profile === 'unconfined' || profile.startsWith('localhost/')) continue
    errors.push(fieldError.invalid(path.key(key), profile, `invalid AppArmor profile name: "${profile}"`))
  }
  return errors
}
