import { isBoolean, isOneOf, isString } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import { defaultClusterIPRange, defaultNodePortRange } from '@keelson/core-services'

/** Addresses and ports of services. */
export interface ServicesOptions {
  /** One CIDR range, or two of different families, comma separated. */
  readonly clusterIpRange?: string
  readonly nodePortRange?: string
  /** `lease`: this server is an endpoint of the kubernetes service while it runs. `none`: it does not manage the endpoints. */
  readonly endpointReconcilerType?: 'lease' | 'none'
  /** Sends the server's own requests to services to a ready endpoint, for servers that cannot reach cluster IPs. */
  readonly enableAggregatorRouting?: boolean
}

export const servicesDefaults: Required<ServicesOptions> = {
  clusterIpRange: defaultClusterIPRange,
  nodePortRange: defaultNodePortRange,
  endpointReconcilerType: 'lease',
  enableAggregatorRouting: false,
}

export const servicesChecks: OptionTable<ServicesOptions> = {
  clusterIpRange: isString,
  nodePortRange: isString,
  endpointReconcilerType: isOneOf('lease', 'none'),
  enableAggregatorRouting: isBoolean,
}
