import type { CustomKind } from '@keelson/apiextensions/kinds'
import type { ServerChainOptions } from '@keelson/control-plane'
import type { ClockOptions } from './cluster-clock.ts'
import type { Manifests } from './manifests.ts'
import type { WorkloadsOptions } from './workloads/start-workloads.ts'

/** Options of a cluster. */
export interface ClusterOptions {
  /** Objects to apply at the start: definitions, policies, namespaces, anything else. */
  readonly manifests?: Manifests
  /** Kinds of `defineKind` to serve. Their definitions are applied before the manifests. */
  readonly kinds?: readonly CustomKind[]
  /**
   * Controllers to run: names, `*` for all, `none`, or `-name` to exclude one. Default: all controllers, so that namespaces end, dependents are
   * deleted, and namespaces have service accounts.
   */
  readonly controllers?: readonly string[]
  /** Workloads that seem to run: nodes, and pods that become Running. Default: there are no nodes, and pods stay Pending. */
  readonly workloads?: WorkloadsOptions
  /** Start of the cluster's time, and whether it stands still. Default: it is the time of the system until `clock.advance` is called. */
  readonly clock?: ClockOptions
  /** Opens a port of 127.0.0.1 at the start. Default: a port is opened when a kubeconfig is asked for. */
  readonly listen?: boolean
  /** All other options of the server, such as `admission`, `authorization` and `groups`. */
  readonly server?: Omit<ServerChainOptions, 'clock' | 'controllers' | 'log' | 'storage'> & {
    readonly storage?: Omit<
      NonNullable<ServerChainOptions['storage']>,
      'backend' | 'dataDir' | 'durability' | 'hasBootstrapObjects' | 'transport' | 'type'
    >
  }
  /** Called for messages of the server. Level 0 is for operators. Default: messages are discarded. */
  readonly log?: ServerChainOptions['log']
}
