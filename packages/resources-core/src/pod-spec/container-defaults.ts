import type { HTTPGetAction, Probe } from '@keelson/api/core/v1'
import { parseImageTag } from './image-tag.ts'
import { roundUpToMilli } from './resource-quantities.ts'
import type { AnyContainer } from './visit-containers.ts'

/** Sets defaults for all kinds of containers. Mutates its argument. */
export function setContainerDefaults(container: AnyContainer): void {
  container.imagePullPolicy ||= parseImageTag(container.image ?? '') === 'latest' ? 'Always' : 'IfNotPresent'
  container.terminationMessagePath ||= '/dev/termination-log'
  container.terminationMessagePolicy ||= 'File'
  container.resources ??= {}
  roundUpToMilli(container.resources.limits)
  roundUpToMilli(container.resources.requests)
  for (const port of container.ports ?? []) port.protocol ||= 'TCP'
  for (const { valueFrom: from } of container.env ?? []) {
    if (from?.fieldRef !== undefined) from.fieldRef.apiVersion ||= 'v1'
    if (from?.fileKeyRef !== undefined) from.fileKeyRef.optional ??= false
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe !== undefined) setProbeDefaults(probe)
  }
  for (const hook of [container.lifecycle?.postStart, container.lifecycle?.preStop]) setHTTPGetDefaults(hook?.httpGet)
}

function setProbeDefaults(probe: Probe): void {
  probe.timeoutSeconds ||= 1
  probe.periodSeconds ||= 10
  probe.successThreshold ||= 1
  probe.failureThreshold ||= 3
  setHTTPGetDefaults(probe.httpGet)
  if (probe.grpc !== undefined) probe.grpc.service ??= ''
}

function setHTTPGetDefaults(action: HTTPGetAction | undefined): void {
  if (action === undefined) return
  action.path ||= '/'
  action.scheme ||= 'HTTP'
}
