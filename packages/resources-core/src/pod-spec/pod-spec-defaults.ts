import type { PodSpec, PodTemplateSpec } from '@keelson/api/core/v1'
import { setContainerDefaults } from './container-defaults.ts'
import { normalizePodSpec, withoutInitContainerAnnotations } from './normalize.ts'
import { roundUpToMilli } from './resource-quantities.ts'
import { everyMutableContainer } from './visit-containers.ts'
import { setVolumeDefaults } from './volume-defaults.ts'

/** What every pod spec gets, in a pod and in a template alike. In place. */
export function setPodSpecDefaults(spec: PodSpec): void {
  spec.dnsPolicy ||= 'ClusterFirst'
  spec.restartPolicy ||= 'Always'
  spec.securityContext ??= {}
  spec.terminationGracePeriodSeconds ??= 30
  spec.schedulerName ||= 'default-scheduler'
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume)
  for (const container of everyMutableContainer(spec)) setContainerDefaults(container)
  roundUpToMilli(spec.overhead)
  roundUpToMilli(spec.resources?.limits)
  roundUpToMilli(spec.resources?.requests)
}

/** For the kinds that hold a template: its defaults, and its one form where there are several. In place. */
export function setPodTemplateDefaults(template: PodTemplateSpec): void {
  const spec = (template.spec ??= { containers: null })
  setPodSpecDefaults(spec)
  normalizePodSpec(spec)
  if (template.metadata !== undefined) withoutInitContainerAnnotations(template.metadata)
}
