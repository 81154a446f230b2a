import { hasMethods, isFunction, isString, listOf, objectOf, required } from '@keelson/apimachinery'
import type { Clock, OptionTable } from '@keelson/apimachinery'
import type { Authenticator, Authorizer } from '@keelson/auth'
import type { ApiGroup } from '@keelson/registry'
import type { Log, PlacedFilter } from '@keelson/server'
import type { GroupServices } from '../group-services.ts'
import { admissionChecks } from './admission.ts'
import type { AdmissionOptions } from './admission.ts'
import { authenticationChecks, authorizationChecks } from './authentication.ts'
import type { AuthenticationOptions, AuthorizationOptions } from './authentication.ts'
import { diagnosticsChecks } from './diagnostics.ts'
import type { DiagnosticsOptions } from './diagnostics.ts'
import { featureChecks } from './features.ts'
import type { FeatureOptions } from './features.ts'
import { kubeletChecks } from './kubelet.ts'
import type { KubeletClientOptions } from './kubelet.ts'
import { lifecycleChecks } from './lifecycle.ts'
import type { LifecycleOptions } from './lifecycle.ts'
import { requestChecks } from './requests.ts'
import type { RequestOptions } from './requests.ts'
import { servicesChecks } from './services.ts'
import type { ServicesOptions } from './services.ts'
import { servingChecks } from './serving.ts'
import type { ServingOptions } from './serving.ts'
import { storageChecks } from './storage.ts'
import type { StorageOptions } from './storage.ts'

/** Options of a server, in sections. The file of a section has its type, its defaults and its checks. */
export interface ServerChainOptions {
  /**
   * API groups to serve, with or without the built-in ones: `[...builtinGroups, widgets]`. Bootstrap hooks and controllers whose resources
   * are not served are skipped, which is logged at level 1. Default: `builtinGroups`.
   */
  readonly groups?: readonly ApiGroup<GroupServices>[]
  /** Tried after client certificates and bearer tokens, in this order, before a request counts as anonymous. */
  readonly authenticators?: readonly Authenticator[]
  /** Authorizers after `system:masters` and the always-allowed paths, in this order. The first that allows or denies a request decides. */
  readonly authorizers?: readonly Authorizer[]
  /** Filters of your own, each before or after a named one of the server (`authorization`, `in-flight`). */
  readonly filters?: readonly PlacedFilter[]
  readonly storage?: StorageOptions
  readonly serving?: ServingOptions
  readonly authentication?: AuthenticationOptions
  readonly authorization?: AuthorizationOptions
  readonly admission?: AdmissionOptions
  readonly requests?: RequestOptions
  readonly lifecycle?: LifecycleOptions
  readonly services?: ServicesOptions
  readonly kubelet?: KubeletClientOptions
  readonly features?: FeatureOptions
  readonly diagnostics?: DiagnosticsOptions
  /** `*`, `none`, `-name`. Default: all; none with etcd, which other servers may share. */
  readonly controllers?: readonly string[]
  /**
   * Clock for object timestamps, leases, tokens, graceful deletion, periodic work, and stores that the server opens. Certificates and request
   * deadlines always use the system clock, like clients. Default: the system clock.
   */
  readonly clock?: Clock
  /** Level 0 is for operators; higher levels are more verbose. Default: level 0 goes to the console. */
  readonly log?: Log
}

/** Names and types of the options. `findOptionProblems` checks their combination. */
export const serverChainChecks: OptionTable<ServerChainOptions> = {
  groups: listOf(hasMethods('register')),
  authenticators: listOf(hasMethods('authenticate')),
  authorizers: listOf(hasMethods('authorize')),
  filters: listOf(objectOf<PlacedFilter>({ name: required(isString), filter: required(isFunction), before: isString, after: isString })),
  storage: objectOf<StorageOptions>(storageChecks),
  serving: objectOf<ServingOptions>(servingChecks),
  authentication: objectOf<AuthenticationOptions>(authenticationChecks),
  authorization: objectOf<AuthorizationOptions>(authorizationChecks),
  admission: objectOf<AdmissionOptions>(admissionChecks),
  requests: objectOf<RequestOptions>(requestChecks),
  lifecycle: objectOf<LifecycleOptions>(lifecycleChecks),
  services: objectOf<ServicesOptions>(servicesChecks),
  kubelet: objectOf<KubeletClientOptions>(kubeletChecks),
  features: objectOf<FeatureOptions>(featureChecks),
  diagnostics: objectOf<DiagnosticsOptions>(diagnosticsChecks),
  controllers: listOf(isString),
  clock: hasMethods('now', 'after'),
  log: isFunction,
}
