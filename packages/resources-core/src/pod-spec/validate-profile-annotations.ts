import type { AppArmorProfile, SeccompProfile } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { appArmorContainerPrefix, seccompContainerPrefix, seccompPodAnnotation } from './annotation-keys.ts'
import type { Annotations } from './validate-annotations.ts'
import { containersWithPath } from './visit-containers.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

type Profile = DeepReadonly<SeccompProfile | AppArmorProfile>

/** Old clients write profiles as annotations; who writes both must say the same. */
export function validateProfileAnnotations(annotations: Annotations, spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  return [...validateSeccomp(annotations, spec, path), ...validateAppArmor(annotations, spec, path)]
}

function validateSeccomp(annotations: Annotations, spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  const member = (at: FieldPath): FieldPath => at.child('securityContext', 'seccompProfile')
  return [
    ...mismatch(spec.securityContext?.seccompProfile, annotations[seccompPodAnnotation], { kind: 'seccomp', path: member(path) }),
    ...containersWithPath(spec, path).flatMap(({ container, path: at }) =>
      mismatch(container.securityContext?.seccompProfile, annotations[seccompContainerPrefix + container.name], {
        kind: 'seccomp',
        path: member(at),
      }),
    ),
  ]
}

function validateAppArmor(annotations: Annotations, spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  if (spec.os?.name === 'windows') return []
  return containersWithPath(spec, path).flatMap(({ container, path: at }) => {
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile
    return mismatch(profile, annotations[appArmorContainerPrefix + container.name], {
      kind: 'apparmor',
      path: at.child('securityContext', 'appArmorProfile'),
    })
  })
}

function mismatch(
  profile: Profile | undefined,
  annotation: string | undefined,
  { kind, path }: { readonly kind: 'seccomp' | 'apparmor'; readonly path: FieldPath },
): FieldErrorList {
  if (profile === undefined || annotation === undefined) return []
  const otherType = [fieldError.forbidden(path.child('type'), `${kind} type in annotation and field must match`)]
  switch (profile.type) {
    case 'Unconfined':
      return annotation === 'unconfined' ? [] : otherType
    case 'RuntimeDefault':
      return annotation === 'runtime/default' || (kind === 'seccomp' && annotation === 'docker/default') ? [] : otherType
    case 'Localhost':
      if (!annotation.startsWith('localhost/')) return otherType
      if (annotation === `localhost/${profile.localhostProfile}`) return []
      return [fieldError.forbidden(path.child('localhostProfile'), `${kind} profile in annotation and field must match`)]
    default:
      return []
  }
}
