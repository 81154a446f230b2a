import type { Secret } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, getErrorMessage, parseJson, validateImmutableField } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { maxDataSize, sumBinarySizes, validateDataKey, validateImmutableData } from '../data-rules.ts'

const dataPath = newFieldPath('data')
const serviceAccountName = 'kubernetes.io/service-account.name'

export function validateSecret(secret: DeepReadonly<Secret>): FieldErrorList {
  const data = secret.data ?? {}
  const errors = Object.keys(data).flatMap((key) => validateDataKey(key, dataPath))
  if (sumBinarySizes(data) > maxDataSize) errors.push(fieldError.tooLong(dataPath, maxDataSize))
  return [...errors, ...validateType(secret)]
}

export function validateSecretUpdate(secret: DeepReadonly<Secret>, old: DeepReadonly<Secret>): FieldErrorList {
  return [
    ...validateImmutableField(secret.type ?? '', old.type ?? '', newFieldPath('type')),
    ...validateImmutableData(secret, old, ['data']),
    ...validateSecret(secret),
  ]
}

/** Validates that a secret has the keys that its type requires. Types that Kubernetes does not define have no rules. */
function validateType(secret: DeepReadonly<Secret>): FieldErrorList {
  const data = secret.data ?? {}
  const requireKeys = (...keys: string[]): FieldErrorList => keys.map((key) => fieldError.required(dataPath.key(key)))
  const isMissing = (key: string): boolean => !Object.hasOwn(data, key)
  switch (secret.type) {
    case 'kubernetes.io/service-account-token':
      return secret.metadata.annotations?.[serviceAccountName]
        ? []
        : [fieldError.required(newFieldPath('metadata', 'annotations').key(serviceAccountName))]
    case 'kubernetes.io/dockercfg':
      return validateDockerConfig(data, '.dockercfg')
    case 'kubernetes.io/dockerconfigjson':
      return validateDockerConfig(data, '.dockerconfigjson')
    case 'kubernetes.io/basic-auth':
      // One of the two keys is required; its value may be empty.
      return isMissing('username') && isMissing('password') ? requireKeys('username', 'password') : []
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : requireKeys('ssh-privatekey')
    case 'kubernetes.io/tls':
      return requireKeys(...['tls.crt', 'tls.key'].filter(isMissing))
    default:
      return []
  }
}

function validateDockerConfig(data: Readonly<Record<string, string>>, key: string): FieldErrorList {
  if (!Object.hasOwn(data, key)) return [fieldError.required(dataPath.key(key))]
  const error = findJsonObjectError(Buffer.from(data[key]!, 'base64').toString('utf8'))
  return error === undefined ? [] : [fieldError.invalid(dataPath.key(key), '<secret contents redacted>', error)]
}

function findJsonObjectError(text: string): string | undefined {
  try {
    const { value } = parseJson(text)
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined
    const typeName = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
    return `json: cannot unmarshal ${typeName} into Go value of type map[string]interface {}`
  } catch (error) {
    return getErrorMessage(error)
  }
}
