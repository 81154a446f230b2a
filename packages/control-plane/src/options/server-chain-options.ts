import { hasMethods, isFunction, isString, isListOf, isObjectOf, requireOption } from '@keelson/apimachinery'
import type { Clock, OptionTable } from '@keelson/apimachinery'
import type { DelegationOptions } from '@keelson/aggregator/extension-server'
import type { Authenticator, Authorizer } from '@keelson/auth'
import type { ApiGroup } from '@keelson/registry'
import type { Log, PlacedFilter } from '@keelson/server'
import type { GroupServices } from '../group-services.ts'
import { admissionChecks } from './admission.ts'
import type { AdmissionOptions } from './admission.ts'
import { auditChecks } from './audit.ts'
import type { AuditOptions } from './audit.ts'
import { authenticationChecks, authorizationChecks } from './authentication.ts'
import type { AuthenticationOptions, AuthorizationOptions } from './authentication.ts'
import { delegationChecks } from './delegation.ts'
import { diagnosticsChecks } from './diagnostics.ts'
import type { DiagnosticsOptions } from './diagnostics.ts'
import { egressChecks } from './egress.ts'
import type { EgressOptions } from './egress.ts'
import { featureChecks } from './features.ts'
import type { FeatureOptions } from './features.ts'
import { kubeletChecks } from './kubelet.ts'
import type { KubeletClientOptions } from './kubelet.ts'
import { lifecycleChecks } from './lifecycle.ts'
import type { LifecycleOptions } from './lifecycle.ts'
import { metricsChecks } from './metrics.ts'
import type { MetricsOptions } from './metrics.ts'
import { peerChecks } from './peers.ts'
import type { PeerOptions } from './peers.ts'
import { requestChecks } from './requests.ts'
import type { RequestOptions } from './requests.ts'
import { servicesChecks } from './services.ts'
import type { ServicesOptions } from './services.ts'
import { servingChecks } from './serving.ts'
import type { ServingOptions } from './serving.ts'
import { storageChecks } from './storage.ts'
import type { StorageOptions } from './storage.ts'

/** Options of a server, in sections. Each section has a file with its type, its defaults and its checks. */
export interface ServerChainOptions {
  /**
   * API groups to serve: the built-in ones, your own, or both, as in `[...builtinGroups, widgets]`. Bootstrap hooks and controllers whose
   * resources are not served are skipped and logged at level 1. Default: `builtinGroups`.
   */
  readonly groups?: readonly ApiGroup<GroupServices>[]
  /**
   * Additional authenticators. They run in this order after client certificates and bearer tokens. If none of them authenticates a request,
   * it is anonymous.
   */
  readonly authenticators?: readonly Authenticator[]
  /**
   * Additional authorizers. They run in this order after `system:masters` and the always-allowed paths. The first one that allows or denies
   * a request decides.
   */
  readonly authorizers?: readonly Authorizer[]
  /** Custom request filters. Each is placed before or after a named filter of the server (`authorization`, `in-flight`). */
  readonly filters?: readonly PlacedFilter[]
  readonly storage?: StorageOptions
  readonly serving?: ServingOptions
  readonly authentication?: AuthenticationOptions
  readonly authorization?: AuthorizationOptions
  /**
   * Makes the server an extension API server: another API server authenticates its clients and authorizes their requests. It replaces the
   * authorization modes. Default: the server decides itself.
   */
  readonly delegation?: DelegationOptions
  readonly admission?: AdmissionOptions
  readonly audit?: AuditOptions
  readonly requests?: RequestOptions
  readonly lifecycle?: LifecycleOptions
  readonly services?: ServicesOptions
  readonly kubelet?: KubeletClientOptions
  /** Settings for other servers on the store. A server announces itself to them with leases if this is set, or if the store is etcd. */
  readonly peers?: PeerOptions
  readonly egress?: EgressOptions
  readonly features?: FeatureOptions
  readonly diagnostics?: DiagnosticsOptions
  readonly metrics?: MetricsOptions
  /**
   * Controllers to run: names, `*` for all, `none`, or `-name` to exclude one. Default: all controllers; none with etcd, because other
   * servers may share it.
   */
  readonly controllers?: readonly string[]
  /** The controllers start when this promise resolves. Default: when the server is ready. */
  readonly controllersStart?: Promise<void>
  /**
   * Clock for object timestamps, leases, tokens, graceful deletion, periodic work, and the stores that the server opens. Certificates and
   * request deadlines always use the system clock, because clients do too. Default: the system clock.
   */
  readonly clock?: Clock
  /** Log function. Level 0 is for operators; higher levels are more verbose. Default: prints level 0 to the console. */
  readonly log?: Log
}

/** Type checks of each option. `findOptionProblems` also checks combinations of options. */
export const serverChainChecks: OptionTable<ServerChainOptions> = {
  groups: isListOf(hasMethods('register')),
  authenticators: isListOf(hasMethods('authenticate')),
  authorizers: isListOf(hasMethods('authorize')),
  filters: isListOf(
    isObjectOf<PlacedFilter>({ name: requireOption(isString), filter: requireOption(isFunction), before: isString, after: isString }),
  ),
  storage: isObjectOf<StorageOptions>(storageChecks),
  serving: isObjectOf<ServingOptions>(servingChecks),
  authentication: isObjectOf<AuthenticationOptions>(authenticationChecks),
  authorization: isObjectOf<AuthorizationOptions>(authorizationChecks),
  delegation: isObjectOf<DelegationOptions>(delegationChecks),
  admission: isObjectOf<AdmissionOptions>(admissionChecks),
  audit: isObjectOf<AuditOptions>(auditChecks),
  requests: isObjectOf<RequestOptions>(requestChecks),
  lifecycle: isObjectOf<LifecycleOptions>(lifecycleChecks),
  services: isObjectOf<ServicesOptions>(servicesChecks),
  kubelet: isObjectOf<KubeletClientOptions>(kubeletChecks),
  peers: isObjectOf<PeerOptions>(peerChecks),
  egress: isObjectOf<EgressOptions>(egressChecks),
  features: isObjectOf<FeatureOptions>(featureChecks),
  diagnostics: isObjectOf<DiagnosticsOptions>(diagnosticsChecks),
  metrics: isObjectOf<MetricsOptions>(metricsChecks),
  controllers: isListOf(isString),
  controllersStart: hasMethods('then'),
  clock: hasMethods('now', 'after'),
  log: isFunction,
}
