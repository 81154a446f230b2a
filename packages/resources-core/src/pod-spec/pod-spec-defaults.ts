import type { PodSpec, PodTemplateSpec } from '@keelson/api/core/v1'
import { setContainerDefaults } from './container-defaults.ts'
import { normalizePodSpec, removeInitContainerAnnotations } from './normalize.ts'
import { roundUpToMilli } from './resource-quantities.ts'
import { listMutableContainers } from './visit-containers.ts'
import { setVolumeDefaults } from './volume-defaults.ts'

/** Sets defaults of a pod spec in a pod or a pod template. Mutates its argument. */
export function setPodSpecDefaults(spec: PodSpec): void {
  spec.dnsPolicy ||= 'ClusterFirst'
  spec.restartPolicy ||= 'Always'
  spec.securityContext ??= {}
  spec.terminationGracePeriodSeconds ??= 30
  spec.schedulerName ||= 'default-scheduler'
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume)
  for (const container of listMutableContainers(spec)) setContainerDefaults(container)
  roundUpToMilli(spec.overhead)
  roundUpToMilli(spec.resources?.limits)
  roundUpToMilli(spec.resources?.requests)
}

/** Sets defaults of a pod template. Copies values between fields that have a deprecated duplicate. Mutates its argument. */
export function setPodTemplateDefaults(template: PodTemplateSpec): void {
  const spec = (template.spec ??= { containers: null })
  setPodSpecDefaults(spec)
  normalizePodSpec(spec)
  if (template.metadata !== undefined) removeInitContainerAnnotations(template.metadata)
}
