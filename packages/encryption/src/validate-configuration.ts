import { fieldError, newFieldPath, parseDuration } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { EncryptionConfiguration, Key, KmsConfiguration, ProviderConfiguration } from './encryption-configuration.ts'
import { decodeBase64 } from './strict-base64.ts'
import { validateResources } from './validate-resources.ts'

const aesKeySizes: readonly number[] = [16, 24, 32]
const secretboxKeySizes: readonly number[] = [32]

export interface ValidateOptions {
  /** True if the file is reloaded automatically. The names of KMS providers must then be unique across KMS versions. */
  readonly reload?: boolean
}

/** Validates a configuration. Returns the same messages as kube-apiserver in the same order. Messages never contain secrets. */
export function validateConfiguration(configuration: EncryptionConfiguration, options: ValidateOptions = {}): FieldErrorList {
  const root = newFieldPath('resources')
  if (configuration.resources.length === 0) return [reportAtLeastOne(root, root.toString())]
  const kmsNames = new Set<string>()
  const errors: FieldErrorList = []
  for (const [i, { resources, providers }] of configuration.resources.entries()) {
    const resourcesPath = root.index(i).child('resources')
    const providersPath = root.index(i).child('providers')
    if (resources.length === 0) errors.push(reportAtLeastOne(resourcesPath, resourcesPath.toString()))
    errors.push(...validateResources(resources, resourcesPath))
    if (providers.length === 0) errors.push(reportAtLeastOne(providersPath, providersPath.toString()))
    for (const [j, provider] of providers.entries()) {
      errors.push(...validateProvider(provider, providersPath.index(j), kmsNames, options.reload ?? false))
    }
  }
  return errors
}

function validateProvider(provider: ProviderConfiguration, path: FieldPath, kmsNames: Set<string>, reload: boolean): FieldErrorList {
  const errors: FieldErrorList = []
  const presentProviders = Object.entries(provider).filter(([, value]) => value != null)
  // Contains only the names, because the values include keys.
  const names = presentProviders.map(([name]) => name)
  if (presentProviders.length === 0) {
    const detail = 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity'
    errors.push(fieldError.invalid(path, names, detail))
  } else if (presentProviders.length > 1) {
    const detail = 'more than one provider specified in a single element, should split into different list elements'
    errors.push(fieldError.invalid(path, names, detail))
  }
  if (provider.kms != null) {
    errors.push(...validateKms(provider.kms, path.child('kms'), kmsNames, reload))
    kmsNames.add(provider.kms.name)
  } else if (provider.aesgcm != null) errors.push(...validateKeys(provider.aesgcm.keys, path.child('aesgcm', 'keys'), aesKeySizes))
  else if (provider.aescbc != null) errors.push(...validateKeys(provider.aescbc.keys, path.child('aescbc', 'keys'), aesKeySizes))
  else if (provider.secretbox != null) {
    errors.push(...validateKeys(provider.secretbox.keys, path.child('secretbox', 'keys'), secretboxKeySizes))
  }
  return errors
}

function validateKeys(keys: readonly Key[], path: FieldPath, sizes: readonly number[]): FieldErrorList {
  if (keys.length === 0) return [reportAtLeastOne(path, 'keys')]
  return keys.flatMap((key, at) => validateKey(key, path.index(at), sizes))
}

function validateKey({ name, secret }: Key, path: FieldPath, sizes: readonly number[]): FieldErrorList {
  const errors: FieldErrorList = []
  if (name === '') errors.push(reportMandatory(path, 'name', 'key'))
  if (secret === '') return [...errors, reportMandatory(path, 'secret', 'key')]
  const reportRedacted = (detail: string): FieldErrorList => [...errors, fieldError.invalid(path.child('secret'), 'REDACTED', detail)]
  const bytes = decodeBase64(secret)
  if (bytes === undefined) return reportRedacted('secrets must be base64 encoded')
  if (!sizes.includes(bytes.length)) {
    return reportRedacted(`secret is not of the expected length, got ${bytes.length}, expected one of [${sizes.join(' ')}]`)
  }
  return errors
}

function validateKms(kms: KmsConfiguration, path: FieldPath, names: ReadonlySet<string>, reload: boolean): FieldErrorList {
  const { name, endpoint, cachesize, timeout } = kms
  const version = kms.apiVersion || 'v1'
  const errors: FieldErrorList = []
  const namePath = path.child('name')
  if (name === '') errors.push(fieldError.required(namePath, 'name is a mandatory field for a provider'))
  if (version !== 'v1' && name.includes(':')) {
    errors.push(fieldError.invalid(namePath, name, `invalid KMS provider name ${name}, must not contain ':'`))
  }
  if ((reload || version !== 'v1') && names.has(name)) {
    errors.push(fieldError.invalid(namePath, name, `duplicate KMS provider name ${name}, names must be unique`))
  }
  if (timeout != null && !(parseDurationOrNaN(timeout) > 0)) {
    errors.push(fieldError.invalid(path.child('timeout'), timeout, 'timeout should be a positive value'))
  }
  errors.push(...validateEndpoint(endpoint, path.child('endpoint')))
  if (cachesize != null && version !== 'v1') {
    errors.push(fieldError.invalid(path.child('cachesize'), cachesize, 'cachesize is not supported in v2'))
  }
  if (cachesize === 0 && version === 'v1') {
    errors.push(fieldError.invalid(path.child('cachesize'), cachesize, 'cachesize should be a positive value, or negative to disable'))
  }
  if (version !== 'v1' && version !== 'v2') {
    const detail = 'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported'
    errors.push(fieldError.invalid(path.child('apiVersion'), version, detail))
  }
  return errors
}

function validateEndpoint(endpoint: string, path: FieldPath): FieldErrorList {
  if (endpoint === '') return [fieldError.invalid(path, '', 'endpoint is a mandatory field for a kms')]
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(endpoint)?.[1]?.toLowerCase() ?? ''
  if (scheme === 'unix') return []
  return [fieldError.invalid(path, endpoint, `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`)]
}

/** Parses a duration. Returns NaN if it is not valid. */
function parseDurationOrNaN(text: string): number {
  try {
    return Number(parseDuration(text))
  } catch {
    return NaN
  }
}

function reportAtLeastOne(path: FieldPath, subject: string): FieldErrorList[number] {
  return fieldError.required(path, `at least one ${subject} is required`)
}
function reportMandatory(path: FieldPath, field: string, of: string): FieldErrorList[number] {
  return fieldError.required(path.child(field), `${field} is a mandatory field for a ${of}`)
}
