import type { BuiltinPluginsOptions, PluginFactory } from '@keelson/admission'
import type { Clock } from '@keelson/apimachinery'
import type { Authenticator, Authorizer, TokenAuthenticator } from '@keelson/auth'
import type { Log } from '@keelson/server'
import type { ApiGroup, StorageMediaType } from '@keelson/registry'
import type { Backend, Config, Drivers } from '@keelson/storagebackend'
import type { GroupServices } from './group-services.ts'
import type { KubeletClientOptions } from './kubelet-tls.ts'
import type { CertificateFiles, NamedCertificateFiles } from './serving-files.ts'
import type { StorageOverride } from './open-backends.ts'
import type { ServiceAccountOptions } from './service-account-options.ts'

export interface ServerChainOptions {
  /**
   * The API groups to serve, in place of the built-in ones or beside them: `[...builtinGroups, widgets]`. Bootstrap steps and controllers whose
   * resources are not served are skipped, which is logged at level 1. Default: `builtinGroups`.
   */
  readonly groups?: readonly ApiGroup<GroupServices>[]
  /** Asked after client certificates and bearer tokens, in this order, before a request counts as anonymous. */
  readonly authenticators?: readonly Authenticator[]
  /** Asked after `system:masters` and the paths that are always allowed, in this order. The first that allows or denies decides. */
  readonly authorizers?: readonly Authorizer[]
  /** Default: memory. */
  readonly storage?: Config
  /** Resources that lie in other stores, of the same kind. */
  readonly storageOverrides?: readonly StorageOverride[]
  /** What is written to etcd; both forms are read. Default protobuf. */
  readonly storageMediaType?: StorageMediaType
  /**
   * How stores of the caller's own are opened, by the name that `storage.type` gives; in place of a built-in one of that name. What a driver opens
   * belongs to the server, which closes it.
   */
  readonly drivers?: Drivers
  /**
   * An open store, instead of one that is opened as `storage` says. It stays open when the server closes, and may be given to the next one.
   * `storage.type` then only says in which form objects are stored.
   */
  readonly backend?: Backend
  /** An EncryptionConfiguration file: which resources are encrypted in the store. Default: none. */
  readonly encryption?: { readonly configFile: string; readonly automaticReload?: boolean }
  readonly certificates?: {
    /** Where what the server makes for itself is kept. Absent: in memory, new at each start. */
    readonly directory?: string
    /** Names and addresses for the serving certificate, beyond those every server has. */
    readonly names?: readonly string[]
  }
  /** PEM. Absent: the server makes its own. */
  readonly servingCertificate?: { readonly certificate: string; readonly key: string }
  /** Files of PEM that are followed: what they hold later on is served without a new start. Not beside `servingCertificate`. */
  readonly servingCertificateFiles?: CertificateFiles
  /** For clients that ask for a server by one of these names. Followed, too. */
  readonly namedCertificateFiles?: readonly NamedCertificateFiles[]
  /** PEM, beside the server's own authority. */
  readonly clientAuthorities?: readonly string[]
  /** Files of PEM with further ones. Followed: client certificates, those of open connections as well, are judged by what the files hold now. */
  readonly clientAuthorityFiles?: readonly string[]
  /** Written when the server listens. Absent: not written; `kubeconfig` has the text. */
  readonly kubeconfigPath?: string
  /** Default 127.0.0.1. */
  readonly bindAddress?: string
  /** Where others reach the server. Default: the bind address, or this machine's own. */
  readonly advertiseAddress?: string
  /** Default 0: any free port. */
  readonly port?: number
  /** Default true. */
  readonly http2?: boolean
  /** A server that nobody closes does not keep the process alive: for tests. What waits to be written to disk does. Default false. */
  readonly unref?: boolean
  /** "VersionTLS12", the default, or another of the names that the original has. */
  readonly tlsMinVersion?: string
  /** By the original's names. Default: the runtime's. */
  readonly tlsCipherSuites?: readonly string[]
  /** The original's, by name. */
  readonly featureGates?: Readonly<Record<string, boolean>>
  /** Patterns of `Origin` headers whose pages may ask. */
  readonly corsAllowedOrigins?: readonly RegExp[]
  /** Of the `Strict-Transport-Security` header. Default: there is none. */
  readonly hstsDirectives?: readonly string[]
  readonly tokenFile?: string
  /** Further sources of bearer tokens. */
  readonly tokens?: readonly TokenAuthenticator[]
  readonly serviceAccounts?: ServiceAccountOptions
  /** Default true. */
  readonly anonymousAuth?: boolean
  readonly alwaysAllowPaths?: readonly string[]
  readonly admission?: AdmissionOptions
  readonly limits?: { readonly readOnly: number; readonly mutating: number }
  readonly requestTimeoutMs?: number
  readonly minRequestTimeoutSeconds?: number
  /** At once, on one connection of HTTP/2. Default 100. */
  readonly maxStreamsPerConnection?: number
  /** From 0 to 0.02: how often a client of HTTP/2 is told to connect anew. Default 0. */
  readonly goAwayChance?: number
  /** How long /readyz fails before a stop begins. Default 0. */
  readonly shutdownDelayMs?: number
  /** While it stops, new connections are answered with 429 until nothing is in flight. Default false: they are not taken. */
  readonly shutdownSendRetryAfter?: boolean
  /** For how long `/livez` passes although the start has not finished. Default 0. */
  readonly livezGraceMs?: number
  /** How long a stop waits for what is in flight. Default 10 s. */
  readonly shutdownGraceMs?: number
  /** Default true. */
  readonly watchCache?: boolean
  /** By resource, "pods" or "deployments.apps": 0 disables the watch cache, other numbers enable it. Default for events: 0. */
  readonly watchCacheSizes?: Readonly<Record<string, number>>
  /** For all other resources: 0 disables the watch cache, other numbers have no effect. Default 100. */
  readonly defaultWatchCacheSize?: number
  readonly eventTtlSeconds?: number
  readonly deleteCollectionWorkers?: number
  readonly enableGarbageCollection?: boolean
  /** Default 10.0.0.0/24. */
  readonly serviceClusterIpRange?: string
  /** Default 30000-32767. */
  readonly serviceNodePortRange?: string
  /** `lease`: this server is among the endpoints of the kubernetes service as long as it lives; `none`: those are left to others. Default `lease`. */
  readonly endpointReconcilerType?: 'lease' | 'none'
  /** How the kubelets of nodes are reached. Default: at port 10250, without a certificate, whatever they show. */
  readonly kubelet?: KubeletClientOptions
  /** `*`, `none`, `-name`. Default: all, unless the store is etcd's and so perhaps shared. */
  readonly controllers?: readonly string[]
  /**
   * The time: of what objects are stamped with, of leases, tokens and graceful deletion, of what controllers and services do again and again, of stores
   * that the server opens. Certificates and deadlines of requests stay the system's: clients judge them by theirs. Default: the system's.
   */
  readonly clock?: Clock
  /** 0 is what an operator must see, higher is more talkative. Default: level 0 goes to the console. */
  readonly log?: Log
  /** Every request is logged when it is over, at level 3. Default false. */
  readonly logRequests?: boolean
  /** What the process was started with, by the names of flags, for `/flagz`. Absent: there is no such page. */
  readonly flags?: Readonly<Record<string, string>>
  /** `/debug/pprof/` says what the process is busy with. Default false. */
  readonly profiling?: boolean
  /** What is served: `apps/v1`, `v1` (core), `apps/v1/daemonsets`, `api/all`, `api/ga`, `api/beta`, `api/alpha`. Default: the stable versions. */
  readonly runtimeConfig?: Readonly<Record<string, boolean>>
}

export interface AdmissionOptions extends BuiltinPluginsOptions {
  /** Plugins that are on though they are off by default. */
  readonly enable?: readonly string[]
  /** Plugins that are off though they are on by default. */
  readonly disable?: readonly string[]
  /** An AdmissionConfiguration file. */
  readonly configFile?: string
  /** Plugins of the caller's own, by name; on unless they are disabled, behind the built-in ones. */
  readonly plugins?: Readonly<Record<string, PluginFactory>>
}
