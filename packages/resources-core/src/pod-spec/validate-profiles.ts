import { coreV1 } from '@keelson/api/core/v1'
import type { AppArmorProfile, SeccompProfile } from '@keelson/api/core/v1'
import { measureUtf8Bytes, fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { toInternalStruct } from '../internal-structs/to-internal-struct.ts'
import { validateDescendingPath } from './validate-paths.ts'

/** Types of seccomp and AppArmor profiles. */
const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined']

interface WithProfiles {
  readonly seccompProfile?: DeepReadonly<SeccompProfile>
  readonly appArmorProfile?: DeepReadonly<AppArmorProfile>
}

/** Validates the profile in the security context of a pod or container. */
export function validateSeccompProfile({ seccompProfile: profile }: WithProfiles, contextPath: FieldPath): FieldErrorList {
  if (profile === undefined) return []
  const path = contextPath.child('seccompProfile')
  const { type = '', localhostProfile: file } = profile
  const at = path.child('localhostProfile')
  const errors = validateType(type, path.child('type'), 'type is required when seccompProfile is set')
  if (type === 'Localhost') {
    if (file === undefined) errors.push(fieldError.required(at, 'must be set when seccomp type is Localhost'))
    else errors.push(...validateDescendingPath(file, at))
  } else if (file !== undefined) {
    errors.push(
      fieldError.invalid(
        at,
        toInternalStruct(coreV1.table.resolve('SeccompProfile'), profile),
        'can only be set when seccomp type is Localhost',
      ),
    )
  }
  return errors
}

/** Maximum length of a profile's path: PATH_MAX of Linux without the final null byte. */
const maxProfileLength = 4095

/** Validates the profile in the security context of a pod or container. */
export function validateAppArmorProfile({ appArmorProfile: profile }: WithProfiles, contextPath: FieldPath): FieldErrorList {
  if (profile === undefined) return []
  const path = contextPath.child('appArmorProfile')
  const { type = '', localhostProfile: name } = profile
  const at = path.child('localhostProfile')
  const errors = validateType(type, path.child('type'), 'type is required when appArmorProfile is set')
  if (errors.length > 0) return errors
  if (type !== 'Localhost') {
    return name === undefined ? [] : [fieldError.invalid(at, name, 'can only be set when AppArmor type is Localhost')]
  }
  if (name === undefined) return [fieldError.required(at, 'must be set when AppArmor type is Localhost')]
  if (name.trim() !== name) errors.push(fieldError.invalid(at, name, 'must not be padded with whitespace'))
  else if (name === '') errors.push(fieldError.required(at, 'must be set when AppArmor type is Localhost'))
  if (measureUtf8Bytes(name) > maxProfileLength) errors.push(fieldError.tooLong(at, maxProfileLength))
  return errors
}

function validateType(type: string, path: FieldPath, missing: string): FieldErrorList {
  if (type === '') return [fieldError.required(path, missing)]
  return profileTypes.includes(type) ? [] : [fieldError.notSupported(path, type, profileTypes)]
}
