import type { Container, EphemeralContainer, PodSpec, Probe } from '@keelson/api/core/v1'
import { imageTag } from './image-tag.ts'
import { setVolumeDefaults } from './volume-defaults.ts'

/** What every pod spec gets, in a pod and in a template alike. In place. */
export function setPodSpecDefaults(spec: PodSpec): void {
  spec.dnsPolicy ||= 'ClusterFirst'
  spec.restartPolicy ||= 'Always'
  spec.securityContext ??= {}
  spec.terminationGracePeriodSeconds ??= 30
  spec.schedulerName ||= 'default-scheduler'
  // Two names for one field: the deprecated one always says the same.
  const account = spec.serviceAccountName || spec.serviceAccount
  if (account !== undefined && account !== '') {
    spec.serviceAccountName = account
    spec.serviceAccount = account
  }
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume)
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])]) setContainerDefaults(container)
}

export function setContainerDefaults(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= imageTag(container.image ?? '') === 'latest' ? 'Always' : 'IfNotPresent'
  container.terminationMessagePath ||= '/dev/termination-log'
  container.terminationMessagePolicy ||= 'File'
  container.resources ??= {}
  for (const port of container.ports ?? []) port.protocol ||= 'TCP'
  for (const variable of container.env ?? []) {
    const from = variable.valueFrom
    if (from?.fieldRef !== undefined) from.fieldRef.apiVersion ||= 'v1'
    if (from?.fileKeyRef !== undefined) from.fileKeyRef.optional ??= false
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) if (probe !== undefined) setProbeDefaults(probe)
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop])
    if (handler?.httpGet !== undefined) {
      handler.httpGet.path ||= '/'
      handler.httpGet.scheme ||= 'HTTP'
    }
}

function setProbeDefaults(probe: Probe): void {
  probe.timeoutSeconds ||= 1
  probe.periodSeconds ||= 10
  probe.successThreshold ||= 1
  probe.failureThreshold ||= 3
  if (probe.httpGet !== undefined) {
    probe.httpGet.path ||= '/'
    probe.httpGet.scheme ||= 'HTTP'
  }
  if (probe.grpc !== undefined) probe.grpc.service ??= ''
}
