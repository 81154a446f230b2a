import type {
  CephFSVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  GlusterfsVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
} from '@keelson/api/core/v1'
import { measureUtf8Bytes, fieldError, formatInclusiveRangeMessage, isDNS1123Subdomain, nameIsDNSSubdomain } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateDNSLabel, validateRequired } from './field-rules.ts'

// Validates volume sources for network storage, and CSI.

export function validateNFS(source: DeepReadonly<NFSVolumeSource>, path: FieldPath): FieldErrorList {
  const errors = [...validateRequired(source.server, path.child('server')), ...validateRequired(source.path, path.child('path'))]
  if (!(source.path ?? '').startsWith('/')) {
    errors.push(fieldError.invalid(path.child('path'), source.path ?? '', 'must be an absolute path'))
  }
  return errors
}

const initiatorFormats: Readonly<Record<string, (name: string) => boolean>> = {
  iqn: isQualifiedInitiator,
  eui: (name) => /^eui.[A-Za-z0-9]{16}$/.test(name),
  naa: (name) => /^naa.[A-Za-z0-9]{32}$/.test(name),
}

/**
 * Returns whether the name contains `iqn\.\d{4}-\d{2}\.[A-Za-z0-9\-.]+:[^,;*&$|\s]+$`. That expression would take quadratic time for
 * repeated "iqn."; this function matches each segment between colons once.
 */
function isQualifiedInitiator(name: string): boolean {
  const addressAndPort = (name.split(/[,;*&$|\s]/).at(-1) ?? '').split(':')
  return addressAndPort.some((part, i) => {
    const isFollowed = i < addressAndPort.length - 2 || (i === addressAndPort.length - 2 && addressAndPort[i + 1] !== '')
    return isFollowed && /iqn\.\d{4}-\d{2}\../.test(part.split(/[^A-Za-z0-9\-.]/).at(-1) ?? '')
  })
}

export function validateISCSI(source: DeepReadonly<ISCSIVolumeSource>, path: FieldPath): FieldErrorList {
  const { iqn = '', lun = 0, initiatorName } = source
  const errors = validateRequired(source.targetPortal, path.child('targetPortal'))
  errors.push(...(iqn === '' ? [fieldError.required(path.child('iqn'))] : validateInitiator(iqn, path.child('iqn'))))
  if (lun < 0 || lun > 255) errors.push(fieldError.invalid(path.child('lun'), lun, formatInclusiveRangeMessage(0, 255)))
  if ((source.chapAuthDiscovery || source.chapAuthSession) && source.secretRef === undefined) {
    errors.push(fieldError.required(path.child('secretRef')))
  }
  if (initiatorName !== undefined) errors.push(...validateInitiator(initiatorName, path.child('initiatorname')))
  return errors
}

function validateInitiator(name: string, path: FieldPath): FieldErrorList {
  if (isInitiatorName(name)) return []
  const hasKnownFormat = initiatorFormats[name.slice(0, 3)] !== undefined
  return [fieldError.invalid(path, name, hasKnownFormat ? 'must be valid format' : 'must be valid format starting with iqn, eui, or naa')]
}

export function isInitiatorName(name: string): boolean {
  return initiatorFormats[name.slice(0, 3)]?.(name) ?? false
}

export function validateFC(source: DeepReadonly<FCVolumeSource>, path: FieldPath): FieldErrorList {
  const { targetWWNs = [], wwids = [], lun } = source
  const errors: FieldErrorList = []
  if (targetWWNs.length === 0 && wwids.length === 0) {
    errors.push(fieldError.required(path.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both'))
  }
  if (targetWWNs.length === 0) return errors
  if (wwids.length > 0) {
    errors.push(fieldError.invalid(path.child('targetWWNs'), targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'))
  }
  if (lun === undefined) errors.push(fieldError.required(path.child('lun'), 'lun is required if targetWWNs is specified'))
  else if (lun < 0 || lun > 255) errors.push(fieldError.invalid(path.child('lun'), lun, formatInclusiveRangeMessage(0, 255)))
  return errors
}

export function validateGlusterfs(source: DeepReadonly<GlusterfsVolumeSource>, path: FieldPath): FieldErrorList {
  return [...validateRequired(source.endpoints, path.child('endpoints')), ...validateRequired(source.path, path.child('path'))]
}

export function validateFlocker(source: DeepReadonly<FlockerVolumeSource>, path: FieldPath): FieldErrorList {
  const { datasetName = '', datasetUUID = '' } = source
  const errors: FieldErrorList = []
  if (datasetName === '' && datasetUUID === '') errors.push(fieldError.required(path, 'one of datasetName and datasetUUID is required'))
  if (datasetName !== '' && datasetUUID !== '') {
    errors.push(fieldError.invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'))
  }
  if (datasetName.includes('/')) errors.push(fieldError.invalid(path.child('datasetName'), datasetName, "must not contain '/'"))
  return errors
}

export function validateRBD(source: DeepReadonly<RBDVolumeSource>, path: FieldPath): FieldErrorList {
  return [...validateMonitors(source.monitors, path), ...validateRequired(source.image, path.child('image'))]
}

export function validateCephFS(source: DeepReadonly<CephFSVolumeSource>, path: FieldPath): FieldErrorList {
  return validateMonitors(source.monitors, path)
}

function validateMonitors(monitors: readonly string[] | null | undefined, path: FieldPath): FieldErrorList {
  return (monitors ?? []).length === 0 ? [fieldError.required(path.child('monitors'))] : []
}

export function validateQuobyte(source: DeepReadonly<QuobyteVolumeSource>, path: FieldPath): FieldErrorList {
  const { registry = '', tenant = '' } = source
  const registryRule = 'must be a host:port pair or multiple pairs separated by commas'
  const errors: FieldErrorList = []
  if (registry === '') errors.push(fieldError.required(path.child('registry'), registryRule))
  else if (measureUtf8Bytes(tenant) >= 65) {
    errors.push(fieldError.required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'))
  } else {
    for (const pair of registry.split(',')) {
      if (!isHostPort(pair)) errors.push(fieldError.invalid(path.child('registry'), registry, registryRule))
    }
  }
  return [...errors, ...validateRequired(source.volume, path.child('volume'))]
}

/** Returns whether Go's `net.SplitHostPort` accepts the text. Host and port may be empty. A host with colons must be in brackets. */
function isHostPort(pair: string): boolean {
  return /^([^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(pair)
}

export function validateScaleIO(source: DeepReadonly<ScaleIOVolumeSource>, path: FieldPath): FieldErrorList {
  return [
    ...validateRequired(source.gateway, path.child('gateway')),
    ...validateRequired(source.system, path.child('system')),
    ...validateRequired(source.volumeName, path.child('volumeName')),
  ]
}

export function validateStorageOS(source: DeepReadonly<StorageOSVolumeSource>, path: FieldPath): FieldErrorList {
  const { volumeName = '', volumeNamespace = '', secretRef } = source
  const errors =
    volumeName === '' ? [fieldError.required(path.child('volumeName'))] : validateDNSLabel(volumeName, path.child('volumeName'))
  if (volumeNamespace !== '') errors.push(...validateDNSLabel(volumeNamespace, path.child('volumeNamespace')))
  if (secretRef !== undefined) errors.push(...validateRequired(secretRef.name, path.child('secretRef', 'name')))
  return errors
}

export function validateCSI(source: DeepReadonly<CSIVolumeSource>, path: FieldPath): FieldErrorList {
  const errors = validateCSIDriverName(source.driver ?? '', path.child('driver'))
  const secret = source.nodePublishSecretRef
  if (secret === undefined) return errors
  if (!secret.name) errors.push(fieldError.required(path.child('nodePublishSecretRef', 'name')))
  else errors.push(...createInvalidErrors(nameIsDNSSubdomain(secret.name, false), secret.name, path.child('name')))
  return errors
}

export function validateCSIDriverName(name: string, path: FieldPath): FieldErrorList {
  if (name === '') return [fieldError.required(path)]
  const errors: FieldErrorList = measureUtf8Bytes(name) > 63 ? [fieldError.tooLong(path, 63)] : []
  return [...errors, ...createInvalidErrors(isDNS1123Subdomain(name.toLowerCase()), name, path)]
}
