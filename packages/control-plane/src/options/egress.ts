import { isString } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'

/** Options of connections to other servers. */
export interface EgressOptions {
  /**
   * File with an EgressSelectorConfiguration (apiserver.k8s.io/v1beta1): the proxies of connections to etcd, to webhooks of the control plane, and
   * to the cluster. It is read once. Default: all connections are direct.
   */
  readonly configFile?: string
}

export const egressChecks: OptionTable<EgressOptions> = { configFile: isString }
