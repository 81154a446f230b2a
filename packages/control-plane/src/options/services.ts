import { isBoolean, isNumber, isOneOf, isString } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import { defaultClusterIPRange, defaultNodePortRange } from '@keelson/core-services'

/** Options for the addresses and ports of services. */
export interface ServicesOptions {
  /** CIDR range of service addresses. Two comma-separated ranges of different IP families make the cluster dual-stack. */
  readonly clusterIpRange?: string
  readonly nodePortRange?: string
  /**
   * Maintenance of the kubernetes service's endpoints. `lease`: the server adds its own endpoint while it runs. `none`: it does not change
   * the endpoints.
   */
  readonly endpointReconcilerType?: 'lease' | 'none'
  /**
   * Number of API servers of the cluster. If there are several, a definition of custom resources is established five seconds after its names
   * were accepted, so that all of them serve it by then.
   */
  readonly serverCount?: number
  /** Sends the server's own requests to services to a ready endpoint, for servers that cannot reach cluster IPs. */
  readonly enableAggregatorRouting?: boolean
  /** Refuses redirects of other API servers to which requests are forwarded. */
  readonly rejectForwardingRedirects?: boolean
}

export const servicesDefaults: Required<ServicesOptions> = {
  clusterIpRange: defaultClusterIPRange,
  nodePortRange: defaultNodePortRange,
  endpointReconcilerType: 'lease',
  serverCount: 1,
  enableAggregatorRouting: false,
  rejectForwardingRedirects: true,
}

export const servicesChecks: OptionTable<ServicesOptions> = {
  clusterIpRange: isString,
  nodePortRange: isString,
  endpointReconcilerType: isOneOf('lease', 'none'),
  serverCount: isNumber({ min: 1, integer: true }),
  enableAggregatorRouting: isBoolean,
  rejectForwardingRedirects: isBoolean,
}
