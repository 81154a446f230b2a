import type { AppArmorProfile, SeccompProfile } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { appArmorContainerPrefix, seccompContainerPrefix, seccompPodAnnotation } from './annotation-keys.ts'
import type { Annotations } from './validate-annotations.ts'
import { listContainersWithPath } from './visit-containers.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

type Profile = DeepReadonly<SeccompProfile | AppArmorProfile>

/** Rejects deprecated seccomp and AppArmor annotations that differ from the profile fields. */
export function validateProfileAnnotations(annotations: Annotations, spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  return [...validateSeccomp(annotations, spec, path), ...validateAppArmor(annotations, spec, path)]
}

function validateSeccomp(annotations: Annotations, spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  const locateProfile = (at: FieldPath): FieldPath => at.child('securityContext', 'seccompProfile')
  return [
    ...validateMatch(spec.securityContext?.seccompProfile, annotations[seccompPodAnnotation], {
      kind: 'seccomp',
      path: locateProfile(path),
    }),
    ...listContainersWithPath(spec, path).flatMap(({ container, path: at }) =>
      validateMatch(container.securityContext?.seccompProfile, annotations[seccompContainerPrefix + container.name], {
        kind: 'seccomp',
        path: locateProfile(at),
      }),
    ),
  ]
}

function validateAppArmor(annotations: Annotations, spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  if (spec.os?.name === 'windows') return []
  return listContainersWithPath(spec, path).flatMap(({ container, path: at }) => {
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile
    return validateMatch(profile, annotations[appArmorContainerPrefix + container.name], {
      kind: 'apparmor',
      path: at.child('securityContext', 'appArmorProfile'),
    })
  })
}

function validateMatch(
  profile: Profile | undefined,
  annotation: string | undefined,
  { kind, path }: { readonly kind: 'seccomp' | 'apparmor'; readonly path: FieldPath },
): FieldErrorList {
  if (profile === undefined || annotation === undefined) return []
  const typeMismatch = [fieldError.forbidden(path.child('type'), `${kind} type in annotation and field must match`)]
  switch (profile.type) {
    case 'Unconfined':
      return annotation === 'unconfined' ? [] : typeMismatch
    case 'RuntimeDefault':
      return annotation === 'runtime/default' || (kind === 'seccomp' && annotation === 'docker/default') ? [] : typeMismatch
    case 'Localhost':
      if (!annotation.startsWith('localhost/')) return typeMismatch
      if (annotation === `localhost/${profile.localhostProfile}`) return []
      return [fieldError.forbidden(path.child('localhostProfile'), `${kind} profile in annotation and field must match`)]
    default:
      return []
  }
}
