import type { Volume, VolumeDevice, VolumeMount } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateItems, validateRequired, validateSupported } from './field-rules.ts'
import { validateDescendingPath, validateNoBacksteps } from './validate-paths.ts'
import type { ReadonlyContainer } from './visit-containers.ts'

type Volumes = ReadonlyMap<string, DeepReadonly<Volume>>

const propagations = ['Bidirectional', 'HostToContainer', 'None']
const recursiveReadOnly = ['Disabled', 'Enabled', 'IfPossible']

/** Validates the volume mounts of a container. Mount paths must be unique. A volume that is used as a block device must not be mounted. */
export function validateVolumeMounts(container: ReadonlyContainer, volumes: Volumes, containerPath: FieldPath): FieldErrorList {
  if (container.volumeMounts === undefined) return []
  const path = containerPath.child('volumeMounts')
  const devices = new Map((container.volumeDevices ?? []).map(({ name, devicePath }) => [name, devicePath]))
  const devicePaths = new Set(devices.values())
  const mountPaths = new Set<string>()
  return validateItems(container.volumeMounts, path, (mount, at) => {
    const { name = '', mountPath = '' } = mount
    const errors = validateRequired(name, at, 'name')
    if (!volumes.has(name)) errors.push(fieldError.notFoundField(at.child('name'), name))
    errors.push(...validateRequired(mountPath, at, 'mountPath'))
    if (mountPaths.has(mountPath)) errors.push(fieldError.invalid(at.child('mountPath'), mountPath, 'must be unique'))
    mountPaths.add(mountPath)
    if (devices.has(name)) errors.push(fieldError.invalid(at.child('name'), name, 'must not already exist in volumeDevices'))
    if (devicePaths.has(mountPath)) {
      errors.push(fieldError.invalid(at.child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices'))
    }
    return [
      ...errors,
      ...validateSubPaths(mount, path, at),
      ...validatePropagation(mount, container, path),
      ...validateReadOnly(mount, path),
    ]
  })
}

function validateSubPaths(mount: DeepReadonly<VolumeMount>, path: FieldPath, at: FieldPath): FieldErrorList {
  const { subPath, subPathExpr } = mount
  const errors: FieldErrorList = subPath ? validateDescendingPath(subPath, path.child('subPath')) : []
  if (!subPathExpr) return errors
  if (subPath) errors.push(fieldError.invalid(at.child('subPathExpr'), subPathExpr, 'subPathExpr and subPath are mutually exclusive'))
  return [...errors, ...validateDescendingPath(subPathExpr, path.child('subPathExpr'))]
}

function validatePropagation(mount: DeepReadonly<VolumeMount>, container: ReadonlyContainer, path: FieldPath): FieldErrorList {
  if (mount.mountPropagation === undefined) return []
  const at = path.child('mountPropagation')
  const errors = validateSupported(mount.mountPropagation, propagations, at)
  if (mount.mountPropagation === 'Bidirectional' && container.securityContext?.privileged !== true) {
    errors.push(fieldError.forbidden(at, 'Bidirectional mount propagation is available only to privileged containers'))
  }
  return errors
}

function validateReadOnly(mount: DeepReadonly<VolumeMount>, path: FieldPath): FieldErrorList {
  if (mount.recursiveReadOnly === undefined) return []
  const at = path.child('recursiveReadOnly')
  const errors = validateSupported(mount.recursiveReadOnly, recursiveReadOnly, at)
  if (mount.recursiveReadOnly !== 'Enabled' && mount.recursiveReadOnly !== 'IfPossible') return errors
  if (mount.readOnly !== true) errors.push(fieldError.forbidden(at, 'may only be specified when readOnly is true'))
  if (mount.mountPropagation !== undefined && mount.mountPropagation !== 'None') {
    errors.push(fieldError.forbidden(at, 'may only be specified when mountPropagation is None or not specified'))
  }
  return errors
}

export function validateVolumeDevices(container: ReadonlyContainer, volumes: Volumes, containerPath: FieldPath): FieldErrorList {
  if (container.volumeDevices === undefined) return []
  const path = containerPath.child('volumeDevices')
  const mounts = new Map((container.volumeMounts ?? []).map(({ name, mountPath }) => [name, mountPath]))
  const mountPaths = new Set(mounts.values())
  const names = new Set<string>()
  const paths = new Set<string>()
  return validateItems(container.volumeDevices, path, (device, at) => {
    const { name = '', devicePath = '' } = device
    const namePath = at.child('name')
    const devicePathField = at.child('devicePath')
    const errors = [
      ...validateRequired(name, namePath),
      ...validateDeviceVolume(device, volumes, { namePath, usedNames: names }),
      ...validateRequired(devicePath, devicePathField),
    ]
    if (paths.has(devicePath)) errors.push(fieldError.invalid(devicePathField, devicePath, 'must be unique'))
    if (validateNoBacksteps(devicePath, devicePathField).length > 0) {
      errors.push(fieldError.invalid(devicePathField, devicePath, "can not contain backsteps ('..')"))
    } else paths.add(devicePath)
    if (mounts.has(name)) errors.push(fieldError.invalid(namePath, name, 'must not already exist in volumeMounts'))
    if (mountPaths.has(devicePath)) {
      errors.push(fieldError.invalid(devicePathField, devicePath, 'must not already exist as a path in volumeMounts'))
    }
    if (name !== '') names.add(name)
    return errors
  })
}

function validateDeviceVolume(
  { name = '' }: DeepReadonly<VolumeDevice>,
  volumes: Volumes,
  { namePath, usedNames }: { readonly namePath: FieldPath; readonly usedNames: ReadonlySet<string> },
): FieldErrorList {
  const errors: FieldErrorList = usedNames.has(name) ? [fieldError.invalid(namePath, name, 'must be unique')] : []
  const volume = volumes.get(name)
  if (volume === undefined) errors.push(fieldError.notFoundField(namePath, name))
  else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
    const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
    errors.push(fieldError.invalid(namePath, name, detail))
  }
  return errors
}
