import {
  directory,
  duration,
  file,
  files,
  fraction,
  ipAddress,
  list,
  namedCertificates,
  onOff,
  oneOf,
  resourceSizes,
  switches,
  text,
  textLike,
  whole,
} from './flag-types.ts'
import type { FlagType } from './flag-types.ts'

/**
 * A flag of the program.
 *
 * Flags are read by hand because they are kube-apiserver's: its parser's rules for values and repetition, its flags that ask for the default behaviour, and
 * a message for each wrong value that names the allowed ones. Libraries (commander, util.parseArgs) have their own rules and messages.
 */
export interface FlagDefinition<T = unknown> {
  readonly group: string
  readonly type: FlagType<T>
  readonly default?: T
  readonly help: string
}

const storage = 'Storage'
const serving = 'Secure serving'
const authentication = 'Authentication and authorization'
const admission = 'Admission'
const generic = 'Server'
const misc = 'Misc'

/** Names and defaults are kube-apiserver's wherever it has the flag. */
const table = {
  'data-dir': {
    group: storage,
    type: directory(),
    default: './.keelson',
    help: 'Directory of the store, the certificates and admin.kubeconfig.',
  },
  'storage-backend': {
    group: storage,
    type: oneOf('embedded', 'memory', 'etcd3'),
    help: 'Where objects are stored: embedded (durable, in --data-dir), memory (lost when the server stops) or etcd3 (in --etcd-servers). Default embedded.',
  },
  durability: {
    group: storage,
    type: oneOf('fsync', 'memory'),
    default: 'fsync',
    help: 'When the embedded store acknowledges a write. fsync: once a power cut cannot undo it. memory: at once; a crash loses the latest writes, an orderly stop none.',
  },
  'etcd-servers': { group: storage, type: list(), help: 'etcd servers to connect with (scheme://ip:port), comma separated.' },
  'etcd-servers-overrides': {
    group: storage,
    type: list(),
    help: 'Other etcd servers for single resources: group/resource#servers, servers separated by semicolons, resources by commas.',
  },
  'storage-media-type': {
    group: storage,
    type: oneOf('application/vnd.kubernetes.protobuf', 'application/json'),
    help: 'Encoding of objects that are written to etcd. Both are read. Default application/vnd.kubernetes.protobuf.',
  },
  'etcd-prefix': {
    group: storage,
    type: textLike(/^(?!.*(?:^|\/)\.{1,2}(?:\/|$))\/?[^/]/, 'a path like /registry'),
    default: '/registry',
    help: 'Prefix of all keys in the store.',
  },
  'etcd-cafile': { group: storage, type: file(), help: 'File with the certificate authorities of the etcd servers, PEM.' },
  'etcd-certfile': { group: storage, type: file(), help: 'File with the client certificate for etcd, PEM.' },
  'etcd-keyfile': { group: storage, type: file(), help: 'File with the private key of --etcd-certfile.' },
  'etcd-compaction-interval': {
    group: storage,
    type: duration(),
    default: 300_000,
    help: 'Interval between compactions of the history in etcd; 0 disables them. Of several servers, one compacts.',
  },
  'encryption-provider-config': {
    group: storage,
    type: file(),
    help: 'File that says which resources are encrypted in the store, and how (EncryptionConfiguration).',
  },
  'encryption-provider-config-automatic-reload': {
    group: storage,
    type: onOff(),
    default: false,
    help: 'Reload the file of --encryption-provider-config when it changes.',
  },
  'watch-cache': { group: storage, type: onOff(), default: true, help: 'Serve lists and watches from a cache in memory.' },
  'watch-cache-sizes': {
    group: storage,
    type: resourceSizes(),
    help: 'Watch cache by resource (pods#0,deployments.apps#100): 0 disables it; the server chooses every other size itself.',
  },
  'default-watch-cache-size': {
    group: storage,
    type: whole(),
    default: 100,
    help: '0 disables the watch cache of resources that --watch-cache-sizes does not name; other numbers have no effect.',
  },
  'event-ttl': { group: storage, type: duration(), default: 3_600_000, help: 'Time for which events are kept.' },
  'delete-collection-workers': {
    group: storage,
    type: whole({ minimum: 1 }),
    default: 16,
    help: 'Number of objects of a collection that are deleted at the same time.',
  },
  'enable-garbage-collector': {
    group: storage,
    type: onOff(),
    default: true,
    help: 'Prepare deletions for the garbage collector (foreground and orphan deletion).',
  },
  'bind-address': {
    group: serving,
    type: ipAddress(),
    help: 'IP address to listen on; 0.0.0.0 or :: is every interface. Default 127.0.0.1; with --etcd-servers 0.0.0.0.',
  },
  'secure-port': { group: serving, type: whole({ maximum: 65_535 }), default: 6443, help: 'HTTPS port; 0 is any free one.' },
  'cert-dir': {
    group: serving,
    type: directory(),
    help: 'Directory of certificates that the server makes for itself. Default DATA-DIR/certs; in memory with --storage-backend=memory.',
  },
  'tls-cert-file': {
    group: serving,
    type: file(),
    help: 'File with the serving certificate, PEM, followed by its authorities. Default: a certificate that the server makes.',
  },
  'tls-private-key-file': { group: serving, type: file(), help: 'File with the private key of --tls-cert-file.' },
  'tls-sni-cert-key': {
    group: serving,
    type: namedCertificates(),
    help: 'Certificate and key for clients that ask for one of its names, or of the names behind the colon. May be given several times. Changed files are served without a restart.',
  },
  'http2-max-streams-per-connection': {
    group: serving,
    type: whole({ maximum: 2 ** 31 - 1 }),
    default: 1_000,
    help: 'Number of requests that one HTTP/2 connection may have open; 0 is the default.',
  },
  'tls-min-version': {
    group: serving,
    type: oneOf('VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'),
    default: 'VersionTLS12',
    help: 'Oldest TLS version that is accepted.',
  },
  'tls-cipher-suites': {
    group: serving,
    type: list(),
    help: 'Cipher suites for TLS 1.2 and older (TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256). Default: those that Node considers safe.',
  },
  'goaway-chance': {
    group: serving,
    type: fraction(0.02),
    default: 0,
    help: 'Probability that the server closes an HTTP/2 connection after a request, so that load balancers can spread clients: from 0 (never) to 0.02.',
  },
  'disable-http2-serving': { group: serving, type: onOff(), default: false, help: 'Serve HTTP/1.1 only.' },
  'advertise-address': {
    group: serving,
    type: ipAddress(),
    help: 'IP address at which others reach the server. It is added to the serving certificate.',
  },
  'external-hostname': {
    group: serving,
    type: text(),
    help: 'Host name at which others reach the server. It is added to the serving certificate.',
  },
  'client-ca-file': {
    group: authentication,
    type: file(),
    help: 'File with the authorities of client certificates, PEM. The CN of a certificate is the user, each O a group.',
  },
  'token-auth-file': { group: authentication, type: file(), help: 'File with tokens, one per line: token,user,uid,"group1,group2".' },
  'anonymous-auth': {
    group: authentication,
    type: onOff(),
    default: true,
    help: 'Serve requests without credentials as system:anonymous instead of refusing them with 401.',
  },
  'authorization-always-allow-paths': {
    group: authentication,
    type: list(),
    default: ['/healthz', '/readyz', '/livez'],
    help: 'Paths that need no permission. A trailing * matches any rest.',
  },
  'service-account-issuer': {
    group: authentication,
    type: list(),
    help: 'Issuer of service account tokens, an https URL. The first one issues new tokens; tokens of all are accepted. Default https://kubernetes.default.svc.',
  },
  'service-account-signing-key-file': {
    group: authentication,
    type: file(),
    help: 'File with the private key that signs service account tokens, PEM. Default: a key that the server makes. Servers on one etcd must share a key.',
  },
  'service-account-key-file': {
    group: authentication,
    type: files(),
    help: 'File with keys that verify service account tokens, PEM. May be given several times. Default: the key of --service-account-signing-key-file.',
  },
  'service-account-jwks-uri': {
    group: authentication,
    type: textLike(/^https:\/\//, 'an https URL'),
    help: 'URL of the keys in the discovery document of the issuer. Default: at this server.',
  },
  'service-account-max-token-expiration': {
    group: authentication,
    type: duration(),
    help: 'Longest lifetime of a service account token. Default: no limit.',
  },
  'service-account-extend-token-expiration': {
    group: authentication,
    type: onOff(),
    default: true,
    help: 'Extend tokens that kubelets request for pods to a year.',
  },
  'api-audiences': {
    group: authentication,
    type: list(),
    help: 'Audiences of the API; a service account token must be meant for one of them. Default: the issuers.',
  },
  'enable-admission-plugins': {
    group: admission,
    type: list(),
    help: 'Admission plugins to enable in addition to the default ones. The order has no effect.',
  },
  'disable-admission-plugins': {
    group: admission,
    type: list(),
    help: 'Admission plugins to disable although they are enabled by default.',
  },
  'admission-control-config-file': {
    group: admission,
    type: file(),
    help: 'File with the configuration of admission plugins (AdmissionConfiguration).',
  },
  'default-not-ready-toleration-seconds': {
    group: admission,
    type: whole(),
    default: 300,
    help: 'Seconds for which a pod stays on a node that is not ready, unless the pod sets its own time.',
  },
  'default-unreachable-toleration-seconds': {
    group: admission,
    type: whole(),
    default: 300,
    help: 'Seconds for which a pod stays on a node that cannot be reached, unless the pod sets its own time.',
  },
  'max-requests-inflight': {
    group: generic,
    type: whole(),
    default: 400,
    help: 'Number of reads that are served at the same time; more are refused with 429. 0 is no limit.',
  },
  'max-mutating-requests-inflight': {
    group: generic,
    type: whole(),
    default: 200,
    help: 'Number of writes that are served at the same time; more are refused with 429. 0 is no limit.',
  },
  'request-timeout': { group: generic, type: duration(), default: 60_000, help: 'Timeout for requests that are not watches.' },
  'min-request-timeout': {
    group: generic,
    type: whole(),
    default: 1800,
    help: 'Seconds after which the server may end a watch that sets no timeout.',
  },
  'feature-gates': {
    group: generic,
    type: switches(),
    help: 'Features to enable or disable: CBORServingAndStorage=true serves application/cbor. All names of kube-apiserver are known; those without an effect here are logged.',
  },
  'cors-allowed-origins': {
    group: generic,
    type: list(),
    help: "Patterns of web origins that may send requests. Each must match both ends of the host: '//example\\.com(:|$)'.",
  },
  'strict-transport-security-directives': {
    group: generic,
    type: list(),
    help: 'Directives of the Strict-Transport-Security header: max-age=31536000,includeSubDomains,preload. Default: no header.',
  },
  'livez-grace-period': {
    group: generic,
    type: duration(),
    default: 0,
    help: 'Time for which /livez passes although the start has not finished.',
  },
  'shutdown-send-retry-after': {
    group: generic,
    type: onOff(),
    default: false,
    help: 'During a stop, refuse requests on new connections with 429 and Retry-After until no request is in flight; otherwise new connections are refused.',
  },
  'runtime-config': {
    group: generic,
    type: switches(),
    help: 'API versions and resources to enable or disable: apps/v1=false, v1 (core), apps/v1/daemonsets, api/all, api/ga, api/beta, api/alpha. Default: the stable versions.',
  },
  profiling: { group: generic, type: onOff(), default: true, help: 'Serve profiles at /debug/pprof/ to users with permission.' },
  'logging-format': {
    group: misc,
    type: oneOf('text', 'json'),
    default: 'text',
    help: "Format of the log: klog's text lines, or one JSON object per line.",
  },
  config: { group: misc, type: file(), help: 'YAML file with flags (secure-port: 6443). The command line takes precedence.' },
  'shutdown-delay-duration': { group: generic, type: duration(), default: 0, help: 'Time for which /readyz fails before a stop begins.' },
  'service-cluster-ip-range': {
    group: generic,
    type: textLike(/^[0-9a-fA-F.:]+\/\d+(,[0-9a-fA-F.:]+\/\d+)?$/, 'a CIDR range like 10.0.0.0/16'),
    default: '10.0.0.0/24',
    help: 'CIDR range of the addresses of services. The first address belongs to the API server.',
  },
  'endpoint-reconciler-type': {
    group: generic,
    type: oneOf('lease', 'none'),
    default: 'lease',
    help: 'lease: the server keeps its own address in the endpoints of the kubernetes service. none: it does not touch them.',
  },
  'service-node-port-range': {
    group: generic,
    type: textLike(/^\d{1,5}([-+]\d{1,5})?$/, 'a range of ports like 30000-32767'),
    default: '30000-32767',
    help: 'Range of the ports for services of type NodePort, both ends included.',
  },
  'kubelet-client-certificate': { group: generic, type: file(), help: 'File with the client certificate for kubelets, PEM.' },
  'kubelet-client-key': { group: generic, type: file(), help: 'File with the private key of --kubelet-client-certificate.' },
  'kubelet-certificate-authority': {
    group: generic,
    type: file(),
    help: 'File with the authorities of kubelets, PEM. Default: any certificate of a kubelet is accepted.',
  },
  'kubelet-preferred-address-types': {
    group: generic,
    type: list(),
    default: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
    help: 'Types of node addresses at which to reach kubelets, the most preferred first.',
  },
  'kubelet-port': {
    group: generic,
    type: whole({ maximum: 65_535 }),
    default: 10_250,
    help: 'Port of kubelets on nodes that do not name one.',
  },
  'kubelet-read-only-port': {
    group: generic,
    type: whole({ maximum: 65_535 }),
    default: 10_255,
    help: 'No effect; accepted as in kube-apiserver.',
  },
  'kubelet-timeout': { group: generic, type: duration(), default: 5000, help: 'Timeout for connecting to a kubelet.' },
  controllers: {
    group: generic,
    type: list(),
    help: 'Controllers to run in the server: * enables all, none disables all, -name disables one. Default * with embedded and memory, none with etcd3.',
  },
  v: { group: misc, type: whole(), default: 0, help: 'Verbosity of the log on stderr: 0 errors, start and stop; 3 every request.' },
} satisfies Readonly<Record<string, unknown>>

type Table = typeof table
type ValueOf<F> = F extends { readonly type: FlagType<infer T> } ? T : never
type WithDefault = { [K in keyof Table]: Table[K] extends { readonly default: unknown } ? K : never }[keyof Table]

/** The flags as parsed: those with a default are always there. */
export type FlagValues = { readonly [K in WithDefault]: ValueOf<Table[K]> } & {
  readonly [K in Exclude<keyof Table, WithDefault>]?: ValueOf<Table[K]>
}

export const flags: ReadonlyMap<string, FlagDefinition> = new Map(Object.entries(table) as unknown as [string, FlagDefinition][])

/** A value as it is written on the command line; nothing for a flag that was not given. */
export function shownValue({ type }: FlagDefinition, value: unknown): string {
  if (value === undefined) return ''
  if (type.show !== undefined) return type.show(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}
