import type { PersistentVolumeClaimSpec } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

/** `dataSource` and `dataSourceRef` say the same, whichever a client knows; the former is for claims and snapshots only. In place. */
export function settleDataSources(spec: PersistentVolumeClaimSpec, old?: DeepReadonly<PersistentVolumeClaimSpec>): void {
  // Data from other namespaces is a feature that is off.
  if (spec.dataSourceRef?.namespace && old?.dataSourceRef === undefined) delete spec.dataSourceRef
  const hadSource = old?.dataSource !== undefined || old?.dataSourceRef !== undefined
  if (!hadSource && spec.dataSourceRef === undefined && !isClaimOrSnapshot(spec)) delete spec.dataSource
  pairDataSources(spec)
}

function isClaimOrSnapshot({ dataSource }: PersistentVolumeClaimSpec): boolean {
  const kind = dataSource?.kind
  const apiGroup = dataSource?.apiGroup ?? ''
  return (kind === 'PersistentVolumeClaim' && apiGroup === '') || (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io')
}

/** In place. */
export function pairDataSources(spec: PersistentVolumeClaimSpec): void {
  const { dataSource, dataSourceRef } = spec
  if (dataSource !== undefined) spec.dataSourceRef ??= { ...dataSource }
  else if (dataSourceRef !== undefined && !dataSourceRef.namespace) {
    const { namespace: _empty, ...local } = dataSourceRef
    spec.dataSource = local
  }
}
