import type { ConfigMapKeySelector, EnvVar, EnvVarSource, FileKeySelector, SecretKeySelector } from '@keelson/api/core/v1'
import { fieldError, isConfigMapKey, isRelaxedEnvVarName, nameIsDNSSubdomain } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateDNSLabel, validateItems } from './field-rules.ts'
import { environmentFieldPaths, validateFieldRef, validateResourceFieldRef } from './validate-downward-api.ts'
import { validateNoBacksteps } from './validate-paths.ts'
import type { ReadonlyContainer } from './visit-containers.ts'

export function validateEnv({ env }: ReadonlyContainer, path: FieldPath): FieldErrorList {
  return env === undefined ? [] : validateItems(env, path.child('env'), validateVariable)
}

function validateVariable(variable: DeepReadonly<EnvVar>, path: FieldPath): FieldErrorList {
  const { name, valueFrom } = variable
  const errors = name ? createInvalidErrors(isRelaxedEnvVarName(name), name, path, 'name') : [fieldError.required(path.child('name'))]
  return valueFrom === undefined ? errors : [...errors, ...validateValueFrom(variable, valueFrom, path.child('valueFrom'))]
}

function validateValueFrom(variable: DeepReadonly<EnvVar>, from: DeepReadonly<EnvVarSource>, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  if (from.fieldRef !== undefined) errors.push(...validateFieldRef(from.fieldRef, environmentFieldPaths, path.child('fieldRef')))
  if (from.resourceFieldRef !== undefined) {
    errors.push(...validateResourceFieldRef(from.resourceFieldRef, { path: path.child('resourceFieldRef'), inVolume: false }))
  }
  if (from.configMapKeyRef !== undefined) errors.push(...validateKeyRef(from.configMapKeyRef, path.child('configMapKeyRef')))
  if (from.secretKeyRef !== undefined) errors.push(...validateKeyRef(from.secretKeyRef, path.child('secretKeyRef')))
  if (from.fileKeyRef !== undefined) errors.push(...validateFileKeyRef(from.fileKeyRef, path.child('fileKeyRef')))
  const sources = Object.values(from).filter((source) => source !== undefined).length
  if (sources === 0) {
    const names = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
    errors.push(fieldError.invalid(path, '', `must specify one of: ${names}`))
  } else if (variable.value) errors.push(fieldError.invalid(path, '', 'may not be specified when `value` is not empty'))
  else if (sources > 1) errors.push(fieldError.invalid(path, '', 'may not have more than one field specified at a time'))
  return errors
}

function validateKeyRef(ref: DeepReadonly<ConfigMapKeySelector | SecretKeySelector>, path: FieldPath): FieldErrorList {
  const { name = '', key = '' } = ref
  return [
    ...createInvalidErrors(nameIsDNSSubdomain(name, false), name, path, 'name'),
    ...(key === '' ? [fieldError.required(path.child('key'))] : createInvalidErrors(isConfigMapKey(key), key, path, 'key')),
  ]
}

function validateFileKeyRef(ref: DeepReadonly<FileKeySelector>, path: FieldPath): FieldErrorList {
  const { key = '', volumeName = '', path: file = '' } = ref
  return [
    ...(key === '' ? [fieldError.required(path.child('key'))] : createInvalidErrors(isRelaxedEnvVarName(key), key, path.child('key'))),
    ...(volumeName === '' ? [fieldError.required(path.child('volumeName'))] : validateDNSLabel(volumeName, path.child('volumeName'))),
    ...(file === '' ? [fieldError.required(path.child('path'))] : validateNoBacksteps(file, path.child('path'))),
  ]
}

export function validateEnvFrom({ envFrom }: ReadonlyContainer, containerPath: FieldPath): FieldErrorList {
  if (envFrom === undefined) return []
  const path = containerPath.child('envFrom')
  return validateItems(envFrom, path, (source, at) => {
    const { prefix = '', configMapRef, secretRef } = source
    const errors = prefix === '' ? [] : createInvalidErrors(isRelaxedEnvVarName(prefix), prefix, at.child('prefix'))
    if (configMapRef !== undefined) errors.push(...validateSourceName(configMapRef.name, at.child('configMapRef', 'name')))
    if (secretRef !== undefined) errors.push(...validateSourceName(secretRef.name, at.child('secretRef', 'name')))
    if (configMapRef === undefined && secretRef === undefined) {
      errors.push(fieldError.invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'))
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      errors.push(fieldError.invalid(path, '', 'may not have more than one field specified at a time'))
    }
    return errors
  })
}

/**
 * Validates the name of a ConfigMap or Secret in `envFrom`. Like upstream, applies the rule for name prefixes, so the name may end with a
 * dash.
 */
function validateSourceName(name: string | undefined, path: FieldPath): FieldErrorList {
  return name ? createInvalidErrors(nameIsDNSSubdomain(name, true), name, path) : [fieldError.required(path)]
}
