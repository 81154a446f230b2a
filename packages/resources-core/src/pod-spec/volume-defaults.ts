import type { AzureDiskVolumeSource, DownwardAPIVolumeFile, HostPathVolumeSource, Volume } from '@keelson/api/core/v1'
import { parseImageTag } from './image-tag.ts'
import { roundUpToMilli } from './resource-quantities.ts'

/** Default mode of files in a volume: rw-r--r--. */
const defaultMode = 0o644

/** Sets defaults of a volume. Mutates its argument. */
export function setVolumeDefaults(volume: Volume): void {
  const sources = Object.keys(volume).filter((key) => key !== 'name')
  if (sources.length === 0) volume.emptyDir = {}
  if (volume.secret !== undefined) volume.secret.defaultMode ??= defaultMode
  if (volume.configMap !== undefined) volume.configMap.defaultMode ??= defaultMode
  if (volume.downwardAPI !== undefined) {
    volume.downwardAPI.defaultMode ??= defaultMode
    setItemDefaults(volume.downwardAPI.items)
  }
  if (volume.projected !== undefined) {
    volume.projected.defaultMode ??= defaultMode
    for (const source of volume.projected.sources ?? []) {
      setItemDefaults(source.downwardAPI?.items)
      if (source.serviceAccountToken !== undefined) source.serviceAccountToken.expirationSeconds ??= 3600
    }
  }
  setSourceDefaults(volume)
  if (volume.image !== undefined)
    volume.image.pullPolicy ||= parseImageTag(volume.image.reference ?? '') === 'latest' ? 'Always' : 'IfNotPresent'
  const claim = volume.ephemeral?.volumeClaimTemplate
  if (claim !== undefined) {
    claim.spec.volumeMode ??= 'Filesystem'
    roundUpToMilli(claim.spec.resources?.limits)
    roundUpToMilli(claim.spec.resources?.requests)
  }
}

interface SharedSources {
  hostPath?: HostPathVolumeSource
  iscsi?: { iscsiInterface?: string }
  rbd?: { pool?: string; user?: string; keyring?: string }
  azureDisk?: AzureDiskVolumeSource
  scaleIO?: { storageMode?: string; fsType?: string }
}

/** Sets defaults of the volume sources that pods and persistent volumes share. Mutates its argument. */
export function setSourceDefaults(volume: SharedSources): void {
  if (volume.hostPath !== undefined) volume.hostPath.type ??= ''
  if (volume.iscsi !== undefined) volume.iscsi.iscsiInterface ||= 'default'
  if (volume.rbd !== undefined) {
    volume.rbd.pool ||= 'rbd'
    volume.rbd.user ||= 'admin'
    volume.rbd.keyring ||= '/etc/ceph/keyring'
  }
  if (volume.azureDisk !== undefined) {
    volume.azureDisk.cachingMode ??= 'ReadWrite'
    volume.azureDisk.fsType ??= 'ext4'
    volume.azureDisk.readOnly ??= false
    volume.azureDisk.kind ??= 'Shared'
  }
  if (volume.scaleIO !== undefined) {
    volume.scaleIO.storageMode ||= 'ThinProvisioned'
    volume.scaleIO.fsType ||= 'xfs'
  }
}

function setItemDefaults(items: readonly DownwardAPIVolumeFile[] | undefined): void {
  for (const item of items ?? []) if (item.fieldRef !== undefined) item.fieldRef.apiVersion ||= 'v1'
}
