import type { Getter, RESTStorage } from '@keelson/registry'
import { nodeProxySubresource } from '../proxy/node-proxy.ts'
import { logSubresource } from './pod-log.ts'
import { podProxySubresource } from '../proxy/pod-proxy.ts'
import { attachSubresource, execSubresource, portForwardSubresource } from './pod-streams.ts'
import { serviceProxySubresource } from '../proxy/service-proxy.ts'
import { createKubeletClient } from './kubelet-client.ts'
import type { KubeletOptions } from './kubelet-client.ts'

export interface ReachableObjects {
  readonly pods: Getter
  readonly nodes: Getter
  readonly services: Getter
  readonly endpoints: Getter
}

/** Subresources of core/v1 that forward requests to kubelets, pods and services. */
export function kubeletSubresources(objects: ReachableObjects, options: KubeletOptions = {}): ReadonlyMap<string, RESTStorage> {
  const { pods, nodes } = objects
  const kubelet = createKubeletClient(nodes, options)
  const streams = { pods, kubelet }
  return new Map<string, RESTStorage>([
    ['pods/attach', attachSubresource(streams)],
    ['pods/exec', execSubresource(streams)],
    ['pods/log', logSubresource(streams)],
    ['pods/portforward', portForwardSubresource(streams)],
    ['pods/proxy', podProxySubresource(pods)],
    ['services/proxy', serviceProxySubresource(objects)],
    ['nodes/proxy', nodeProxySubresource(kubelet)],
  ])
}
