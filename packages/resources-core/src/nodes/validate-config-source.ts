import type { ConfigMapNodeConfigSource, NodeConfigSource, NodeConfigStatus } from '@keelson/api/core/v1'
import { fieldError, isConfigMapKey, nameIsDNSLabel, nameIsDNSSubdomain } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateRequired } from '../pod-spec/field-rules.ts'

type Source = DeepReadonly<NodeConfigSource>
type ConfigMapSource = DeepReadonly<ConfigMapNodeConfigSource>

/**
 * Validates the source of a dynamic kubelet configuration. Kubernetes has removed this feature, but stored nodes may still have the field.
 */
export function validateConfigSource(source: Source, path: FieldPath): FieldErrorList {
  return validateOneSource(source, path, ({ uid, resourceVersion }, at) => [
    ...(uid ? [fieldError.forbidden(at.child('uid'), 'uid must not be set in spec')] : []),
    ...(resourceVersion ? [fieldError.forbidden(at.child('resourceVersion'), 'resourceVersion must not be set in spec')] : []),
  ])
}

export function validateConfigStatus(status: DeepReadonly<NodeConfigStatus>, path: FieldPath): FieldErrorList {
  return (['assigned', 'active', 'lastKnownGood'] as const).flatMap((member) => {
    const source = status[member]
    if (source === undefined) return []
    return validateOneSource(source, path.child(member), ({ uid, resourceVersion }, at) => [
      ...validateRequired(uid, at.child('uid')),
      ...validateRequired(resourceVersion, at.child('resourceVersion')),
    ])
  })
}

function validateOneSource(
  { configMap }: Source,
  path: FieldPath,
  validateIdentity: (source: ConfigMapSource, path: FieldPath) => FieldErrorList,
): FieldErrorList {
  if (configMap === undefined) return [fieldError.invalid(path, { ConfigMap: null }, 'exactly one reference subfield must be non-nil')]
  const at = path.child('configMap')
  return [...validateIdentity(configMap, at), ...validateConfigMap(configMap, at)]
}

function validateConfigMap({ namespace = '', name = '', kubeletConfigKey = '' }: ConfigMapSource, path: FieldPath): FieldErrorList {
  const check = (value: string, messages: (value: string) => readonly string[], at: FieldPath): FieldErrorList =>
    value === '' ? [fieldError.required(at)] : createInvalidErrors(messages(value), value, at)
  return [
    ...check(namespace, (value) => nameIsDNSLabel(value, false), path.child('namespace')),
    ...check(name, (value) => nameIsDNSSubdomain(value, false), path.child('name')),
    ...check(kubeletConfigKey, isConfigMapKey, path.child('kubeletConfigKey')),
  ]
}
