import { servicesDefaults } from '@keelson/control-plane'
import type { ServerChainOptions } from '@keelson/control-plane'
import { onOff, createChoiceType, createPatternType, createIntegerType } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'

const group = 'Services'

/** Flags of services. Names and defaults are the same as in kube-apiserver if it has the flag. */
export const servicesFlags = {
  'service-cluster-ip-range': {
    group,
    type: createPatternType(/^[0-9a-fA-F.:]+\/\d+(,[0-9a-fA-F.:]+\/\d+)?$/, 'a CIDR range like 10.0.0.0/16'),
    default: servicesDefaults.clusterIpRange,
    help: 'CIDR range of service addresses. The first address belongs to the API server.',
  },
  'service-node-port-range': {
    group,
    type: createPatternType(/^\d{1,5}([-+]\d{1,5})?$/, 'a range of ports like 30000-32767'),
    default: servicesDefaults.nodePortRange,
    help: 'Port range for services of type NodePort, both ends included.',
  },
  'endpoint-reconciler-type': {
    group,
    type: createChoiceType('lease', 'none'),
    default: servicesDefaults.endpointReconcilerType,
    help: 'lease: the server keeps its own address in the endpoints of the kubernetes service. none: the server does not change these endpoints.',
  },
  'apiserver-count': {
    group,
    type: createIntegerType({ minimum: 1 }),
    default: servicesDefaults.serverCount,
    help: 'Number of API servers of the cluster. With several, definitions of custom resources are established after 5 s, so that all servers serve them by then.',
  },
  'enable-aggregator-routing': {
    group,
    type: onOff(),
    default: servicesDefaults.enableAggregatorRouting,
    help: 'Send requests of the server to services directly to an endpoint instead of the cluster IP.',
  },
  'aggregator-reject-forwarding-redirect': {
    group,
    type: onOff(),
    default: servicesDefaults.rejectForwardingRedirects,
    help: 'Answer 502 if another API server, to which a request was forwarded, answers with a redirect.',
  },
} as const

export function readServicesOptions(values: FlagValuesOf<typeof servicesFlags>): NonNullable<ServerChainOptions['services']> {
  return {
    clusterIpRange: values['service-cluster-ip-range'],
    nodePortRange: values['service-node-port-range'],
    endpointReconcilerType: values['endpoint-reconciler-type'],
    serverCount: values['apiserver-count'],
    enableAggregatorRouting: values['enable-aggregator-routing'],
    rejectForwardingRedirects: values['aggregator-reject-forwarding-redirect'],
  }
}
