import type { ImageVolumeSource } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateRequiredOneOf } from './field-rules.ts'
import type { PodRules } from './pod-rules.ts'
import type { ReadonlyContainer } from './visit-containers.ts'

const pullPolicies = ['Always', 'IfNotPresent', 'Never']

export function validatePullPolicy(policy: string | undefined, path: FieldPath, member: string): FieldErrorList {
  return validateRequiredOneOf(policy, pullPolicies, path, member)
}

/** Validates an image volume. An image reference is required in pods and optional in templates. */
export function validateImageVolume(source: DeepReadonly<ImageVolumeSource>, rules: PodRules, path: FieldPath): FieldErrorList {
  const errors = rules.isPod && !source.reference ? [fieldError.required(path.child('reference'))] : []
  return [...errors, ...validatePullPolicy(source.pullPolicy, path, 'pullPolicy')]
}

/** Rejects spaces before and after the image of a container. Used only for pods, because stored templates can be older than this rule. */
export function validateImagePadding({ image }: ReadonlyContainer, path: FieldPath): FieldErrorList {
  if (image === undefined || image.trim() === image) return []
  return [fieldError.invalid(path.child('image'), image, 'must not have leading or trailing whitespace')]
}
