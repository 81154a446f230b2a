import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  GitRepoVolumeSource,
  HostPathVolumeSource,
  KeyToPath,
  PersistentVolumeClaimVolumeSource,
  SecretVolumeSource,
} from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateRequired, validateSupported } from './field-rules.ts'
import { validateFieldRef, validateResourceFieldRef, volumeFieldPaths } from './validate-downward-api.ts'
import { validateDescendingPath, validateFileMode, validateNoBacksteps, validateUnreservedPath } from './validate-paths.ts'

// Validates volume sources that read API objects or the disk of the node.

const hostPathTypes = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket']

export function validateHostPath(source: DeepReadonly<HostPathVolumeSource>, path: FieldPath): FieldErrorList {
  if (!source.path) return [fieldError.required(path.child('path'))]
  return [...validateNoBacksteps(source.path, path.child('path')), ...validateSupported(source.type, hostPathTypes, path.child('type'))]
}

export function validateGitRepo(source: DeepReadonly<GitRepoVolumeSource>, path: FieldPath): FieldErrorList {
  return [
    ...validateRequired(source.repository, path.child('repository')),
    ...validateDescendingPath(source.directory ?? '', path.child('directory')),
  ]
}

export function validateClaimVolume(source: DeepReadonly<PersistentVolumeClaimVolumeSource>, path: FieldPath): FieldErrorList {
  return validateRequired(source.claimName, path.child('claimName'))
}

export function validateSecretVolume(source: DeepReadonly<SecretVolumeSource>, path: FieldPath): FieldErrorList {
  return [...validateRequired(source.secretName, path.child('secretName')), ...validateKeyedVolume(source, path)]
}

export function validateConfigMapVolume(source: DeepReadonly<ConfigMapVolumeSource>, path: FieldPath): FieldErrorList {
  return [...validateRequired(source.name, path.child('name')), ...validateKeyedVolume(source, path)]
}

interface KeyedVolume {
  readonly defaultMode?: number
  readonly items?: readonly DeepReadonly<KeyToPath>[]
}

function validateKeyedVolume({ defaultMode, items }: KeyedVolume, path: FieldPath): FieldErrorList {
  const itemErrors = (items ?? []).flatMap((item, i) => validateKeyToPath(item, path.child('items').index(i)))
  return [...validateFileMode(defaultMode, path.child('defaultMode')), ...itemErrors]
}

export function validateKeyToPath(item: DeepReadonly<KeyToPath>, path: FieldPath): FieldErrorList {
  return [
    ...validateRequired(item.key, path.child('key')),
    ...validateRequired(item.path, path.child('path')),
    ...validateUnreservedPath(item.path ?? '', path.child('path')),
    ...validateFileMode(item.mode, path.child('mode')),
  ]
}

export function validateDownwardAPIVolume(source: DeepReadonly<DownwardAPIVolumeSource>, path: FieldPath): FieldErrorList {
  // Like upstream, omits the index of the item in the error path.
  const itemErrors = (source.items ?? []).flatMap((item) => validateDownwardAPIFile(item, path))
  return [...validateFileMode(source.defaultMode, path.child('defaultMode')), ...itemErrors]
}

export function validateDownwardAPIFile(file: DeepReadonly<DownwardAPIVolumeFile>, path: FieldPath): FieldErrorList {
  const errors = [...validateRequired(file.path, path.child('path')), ...validateUnreservedPath(file.path ?? '', path.child('path'))]
  if (file.fieldRef !== undefined) {
    errors.push(...validateFieldRef(file.fieldRef, volumeFieldPaths, path.child('fieldRef')))
    if (file.resourceFieldRef !== undefined) {
      errors.push(fieldError.invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'))
    }
  } else if (file.resourceFieldRef !== undefined) {
    errors.push(...validateResourceFieldRef(file.resourceFieldRef, { path: path.child('resourceFieldRef'), inVolume: true }))
  } else {
    errors.push(fieldError.required(path, 'one of fieldRef and resourceFieldRef is required'))
  }
  return [...errors, ...validateFileMode(file.mode, path.child('mode'))]
}
