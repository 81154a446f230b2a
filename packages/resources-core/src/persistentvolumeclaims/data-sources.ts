import type { PersistentVolumeClaimSpec } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

/**
 * Makes `dataSource` and `dataSourceRef` of a claim consistent. Drops a `dataSource` that refers neither to a claim nor to a snapshot.
 * Mutates `spec`.
 */
export function normalizeDataSources(spec: PersistentVolumeClaimSpec, old?: DeepReadonly<PersistentVolumeClaimSpec>): void {
  // Drops a reference to another namespace, because its feature gate is off by default.
  if (spec.dataSourceRef?.namespace && old?.dataSourceRef === undefined) delete spec.dataSourceRef
  const hadSource = old?.dataSource !== undefined || old?.dataSourceRef !== undefined
  if (!hadSource && spec.dataSourceRef === undefined && !isClaimOrSnapshot(spec)) delete spec.dataSource
  syncDataSources(spec)
}

function isClaimOrSnapshot({ dataSource }: PersistentVolumeClaimSpec): boolean {
  const kind = dataSource?.kind
  const apiGroup = dataSource?.apiGroup ?? ''
  return (kind === 'PersistentVolumeClaim' && apiGroup === '') || (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io')
}

/** Copies `dataSource` to `dataSourceRef`, or `dataSourceRef` to `dataSource`, if only one of them is set. Mutates `spec`. */
export function syncDataSources(spec: PersistentVolumeClaimSpec): void {
  const { dataSource, dataSourceRef } = spec
  if (dataSource !== undefined) spec.dataSourceRef ??= { ...dataSource }
  else if (dataSourceRef !== undefined && !dataSourceRef.namespace) {
    const { namespace: _empty, ...local } = dataSourceRef
    spec.dataSource = local
  }
}
