import type { PodSpec } from '@keelson/api/core/v1'
import { listMutableContainers, hasContainer } from './visit-containers.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

/** Drops pod spec fields whose feature gate is off by default. Keeps a field if `old` already uses it. Mutates `spec`. */
export function dropDisabledPodFields(spec: PodSpec, old?: ReadonlyPodSpec): void {
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? [])
  for (const member of ['clusterTrustBundle', 'podCertificate'] as const) {
    const matching = sources.filter((source) => member in source)
    if (matching.length > 0 && !isProjectionInUse(old, member)) for (const source of matching) delete source[member]
  }
  if (old?.schedulingGroup === undefined && 'schedulingGroup' in spec) delete spec.schedulingGroup
  if (!stopSignalsInUse(old)) dropStopSignals(spec)
}

function isProjectionInUse(spec: ReadonlyPodSpec | undefined, member: 'clusterTrustBundle' | 'podCertificate'): boolean {
  const sources = (spec?.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? [])
  return sources.some((source) => source[member] !== undefined)
}

function stopSignalsInUse(spec: ReadonlyPodSpec | undefined): boolean {
  return spec !== undefined && hasContainer(spec, ({ lifecycle }) => lifecycle?.stopSignal !== undefined)
}

function dropStopSignals(spec: PodSpec): void {
  for (const container of listMutableContainers(spec)) {
    if (container.lifecycle?.stopSignal === undefined) continue
    delete container.lifecycle.stopSignal
    if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle
  }
}
