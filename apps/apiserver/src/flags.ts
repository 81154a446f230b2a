import {
  duration,
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
    type: textLike(/./, 'a directory'),
    default: './.keelson',
    help: 'Where the store, the certificates and admin.kubeconfig are kept.',
  },
  'storage-backend': {
    group: storage,
    type: oneOf('embedded', 'memory', 'etcd3'),
    help: 'Where objects are stored: embedded (durable, in --data-dir), memory (gone when the server stops), etcd3 (--etcd-servers). Default embedded.',
  },
  durability: {
    group: storage,
    type: oneOf('fsync', 'memory'),
    default: 'fsync',
    help: 'embedded: when a write is answered. fsync: once a power cut cannot undo it. memory: at once; a crash costs the newest writes, an orderly stop none.',
  },
  'etcd-servers': { group: storage, type: list(), help: 'etcd servers to connect with (scheme://ip:port), comma separated.' },
  'etcd-servers-overrides': {
    group: storage,
    type: list(),
    help: 'Resources that lie on other etcd servers: group/resource#servers, servers separated by semicolons; resources separated by commas.',
  },
  'storage-media-type': {
    group: storage,
    type: oneOf('application/vnd.kubernetes.protobuf', 'application/json'),
    help: 'What is written to etcd; both are read. Default application/vnd.kubernetes.protobuf.',
  },
  'etcd-prefix': {
    group: storage,
    type: textLike(/^(?!.*(?:^|\/)\.{1,2}(?:\/|$))\/?[^/]/, 'a path like /registry'),
    default: '/registry',
    help: 'What every key in the store begins with.',
  },
  'etcd-cafile': { group: storage, type: text(), help: 'Authorities of the etcd servers, PEM.' },
  'etcd-certfile': { group: storage, type: text(), help: 'The certificate to show to etcd, PEM.' },
  'etcd-keyfile': { group: storage, type: text(), help: 'The private key of --etcd-certfile.' },
  'etcd-compaction-interval': {
    group: storage,
    type: duration(),
    default: 300_000,
    help: 'How often history in etcd is compacted, by whichever server comes first; 0 leaves it to others.',
  },
  'encryption-provider-config': {
    group: storage,
    type: text(),
    help: 'A file that says which resources are encrypted in the store, and how (EncryptionConfiguration).',
  },
  'encryption-provider-config-automatic-reload': {
    group: storage,
    type: onOff(),
    default: false,
    help: 'Follow changes of the file of --encryption-provider-config.',
  },
  'watch-cache': { group: storage, type: onOff(), default: true, help: 'Serve lists and watches from a cache in memory.' },
  'watch-cache-sizes': {
    group: storage,
    type: resourceSizes(),
    help: 'By resource (pods#0,deployments.apps#100): 0 is no watch cache for it; any other size is chosen by the server itself.',
  },
  'default-watch-cache-size': {
    group: storage,
    type: whole(),
    default: 100,
    help: '0 is no watch cache for resources that --watch-cache-sizes does not name; any other number changes nothing.',
  },
  'event-ttl': { group: storage, type: duration(), default: 3_600_000, help: 'How long events are kept.' },
  'delete-collection-workers': {
    group: storage,
    type: whole({ minimum: 1 }),
    default: 16,
    help: 'How many objects of a collection are deleted at once.',
  },
  'enable-garbage-collector': {
    group: storage,
    type: onOff(),
    default: true,
    help: 'Deletions mark what a garbage collector must finish.',
  },
  'bind-address': {
    group: serving,
    type: ipAddress(),
    help: 'The IP address to listen on; 0.0.0.0 or :: is every interface. Default 127.0.0.1; 0.0.0.0 with --etcd-servers.',
  },
  'secure-port': { group: serving, type: whole({ maximum: 65_535 }), default: 6443, help: 'The HTTPS port; 0 is any free one.' },
  'cert-dir': {
    group: serving,
    type: text(),
    help: 'Where certificates that the server makes for itself are kept. Default DATA-DIR/certs.',
  },
  'tls-cert-file': {
    group: serving,
    type: text(),
    help: 'The certificate to serve with, PEM, authorities after it. Default: one made by the server.',
  },
  'tls-private-key-file': { group: serving, type: text(), help: 'The private key of --tls-cert-file.' },
  'tls-sni-cert-key': {
    group: serving,
    type: namedCertificates(),
    help: 'A certificate and its key for clients that ask for one of its names, or of those behind the colon; may be given several times. Files of certificates that change are served without a new start.',
  },
  'http2-max-streams-per-connection': {
    group: serving,
    type: whole({ maximum: 2 ** 31 - 1 }),
    default: 1_000,
    help: 'How many requests a connection of HTTP/2 may have open; 0 is the default.',
  },
  'tls-min-version': {
    group: serving,
    type: oneOf('VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'),
    default: 'VersionTLS12',
    help: 'The oldest TLS that is spoken.',
  },
  'tls-cipher-suites': {
    group: serving,
    type: list(),
    help: 'What TLS 1.2 and older may encrypt with (TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256). Default: what the runtime takes for safe.',
  },
  'goaway-chance': {
    group: serving,
    type: fraction(0.02),
    default: 0,
    help: 'How often a client of HTTP/2 is told to connect anew, so that load balancers can spread it: 0 never, 0.02 after one in fifty requests.',
  },
  'disable-http2-serving': { group: serving, type: onOff(), default: false, help: 'HTTP/1.1 alone.' },
  'advertise-address': {
    group: serving,
    type: ipAddress(),
    help: 'The address at which others reach the server; it is added to the serving certificate.',
  },
  'external-hostname': {
    group: serving,
    type: text(),
    help: 'The host name at which others reach the server; it is added to the serving certificate.',
  },
  'client-ca-file': {
    group: authentication,
    type: text(),
    help: 'Authorities of client certificates; CN is the user, each O a group. A change of the file takes effect without a restart.',
  },
  'token-auth-file': { group: authentication, type: text(), help: 'Tokens, one per line: token,user,uid,"group1,group2".' },
  'anonymous-auth': {
    group: authentication,
    type: onOff(),
    default: true,
    help: 'Requests without credentials are system:anonymous instead of 401.',
  },
  'authorization-always-allow-paths': {
    group: authentication,
    type: list(),
    default: ['/healthz', '/readyz', '/livez'],
    help: 'Paths that need no permission; a trailing * is a prefix.',
  },
  'service-account-issuer': {
    group: authentication,
    type: list(),
    help: 'Who issues service account tokens, an https URL. Of several, the first issues, and tokens of all are accepted. Default https://kubernetes.default.svc.',
  },
  'service-account-signing-key-file': {
    group: authentication,
    type: text(),
    help: 'The private key, PEM, that signs service account tokens. Default: one made by the server; servers on one etcd must share one.',
  },
  'service-account-key-file': {
    group: authentication,
    type: list(),
    help: 'Keys, PEM, that check service account tokens; may be given several times. Default: that of --service-account-signing-key-file.',
  },
  'service-account-jwks-uri': {
    group: authentication,
    type: textLike(/^https:\/\//, 'an https URL'),
    help: 'Where the discovery document of the issuer says the keys are. Default: at this server.',
  },
  'service-account-max-token-expiration': {
    group: authentication,
    type: duration(),
    help: 'Service account tokens are made for no longer than this. Default: no limit.',
  },
  'service-account-extend-token-expiration': {
    group: authentication,
    type: onOff(),
    default: true,
    help: 'Tokens that kubelets ask for on behalf of pods live a year.',
  },
  'api-audiences': {
    group: authentication,
    type: list(),
    help: 'Service account tokens must be meant for one of these. Default: the issuers.',
  },
  'enable-admission-plugins': {
    group: admission,
    type: list(),
    help: 'Admission plugins that are on in addition to those that are on by default. Their order does not matter.',
  },
  'disable-admission-plugins': {
    group: admission,
    type: list(),
    help: 'Admission plugins that are off although they are on by default.',
  },
  'admission-control-config-file': {
    group: admission,
    type: text(),
    help: 'A file with what admission plugins are told (AdmissionConfiguration).',
  },
  'default-not-ready-toleration-seconds': {
    group: admission,
    type: whole(),
    default: 300,
    help: 'For how long a pod stays on a node that is not ready, unless it says so itself.',
  },
  'default-unreachable-toleration-seconds': {
    group: admission,
    type: whole(),
    default: 300,
    help: 'For how long a pod stays on a node that cannot be reached, unless it says so itself.',
  },
  'max-requests-inflight': {
    group: generic,
    type: whole(),
    default: 400,
    help: 'Reads that are served at once; more are answered with 429. 0 is no limit.',
  },
  'max-mutating-requests-inflight': { group: generic, type: whole(), default: 200, help: 'The same for writes.' },
  'request-timeout': { group: generic, type: duration(), default: 60_000, help: 'How long a request may take; watches are not meant.' },
  'min-request-timeout': {
    group: generic,
    type: whole(),
    default: 1800,
    help: 'Seconds after which a watch without a timeout of its own is ended at the earliest.',
  },
  'feature-gates': {
    group: generic,
    type: switches(),
    help: 'Features to switch: CBORServingAndStorage=true serves application/cbor. The names of kube-apiserver are known; those that switch nothing here are told of in the log.',
  },
  'cors-allowed-origins': {
    group: generic,
    type: list(),
    help: "Patterns of the origins whose pages may ask, each with both ends of the host in it: '//example\\.com(:|$)'.",
  },
  'strict-transport-security-directives': {
    group: generic,
    type: list(),
    help: 'What the Strict-Transport-Security header says: max-age=31536000,includeSubDomains,preload. Default: there is none.',
  },
  'livez-grace-period': {
    group: generic,
    type: duration(),
    default: 0,
    help: 'For how long /livez passes although the start has not finished.',
  },
  'shutdown-send-retry-after': {
    group: generic,
    type: onOff(),
    default: false,
    help: 'While stopping, answer new connections with 429 and Retry-After until nothing is in flight; otherwise they are not taken.',
  },
  'runtime-config': {
    group: generic,
    type: switches(),
    help: 'Versions and resources that are served or not: apps/v1=false, v1 (core), apps/v1/daemonsets, api/all, api/ga, api/beta, api/alpha. Default: the stable versions.',
  },
  profiling: { group: generic, type: onOff(), default: true, help: 'Serve profiles at /debug/pprof/ to who may read them.' },
  'logging-format': {
    group: misc,
    type: oneOf('text', 'json'),
    default: 'text',
    help: 'How the log is written: lines for people, or one JSON object each.',
  },
  config: { group: misc, type: text(), help: 'A YAML file of flags (secure-port: 6443). What the command line says counts for more.' },
  'shutdown-delay-duration': { group: generic, type: duration(), default: 0, help: 'How long /readyz fails before a stop begins.' },
  'service-cluster-ip-range': {
    group: generic,
    type: textLike(/^[0-9a-fA-F.:]+\/\d+(,[0-9a-fA-F.:]+\/\d+)?$/, 'a CIDR range like 10.0.0.0/16'),
    default: '10.0.0.0/24',
    help: 'The addresses that services get; the first belongs to the API server.',
  },
  'endpoint-reconciler-type': {
    group: generic,
    type: oneOf('lease', 'none'),
    default: 'lease',
    help: 'lease: the server is among the endpoints of the kubernetes service while it lives. none: they are left to others.',
  },
  'service-node-port-range': {
    group: generic,
    type: textLike(/^\d{1,5}([-+]\d{1,5})?$/, 'a range of ports like 30000-32767'),
    default: '30000-32767',
    help: 'The ports that services of type NodePort get on every node; both ends belong to it.',
  },
  'kubelet-client-certificate': { group: generic, type: text(), help: 'The certificate to show to kubelets, PEM.' },
  'kubelet-client-key': { group: generic, type: text(), help: 'The private key of --kubelet-client-certificate.' },
  'kubelet-certificate-authority': {
    group: generic,
    type: text(),
    help: 'Authorities of kubelets, PEM. Default: whatever certificate a kubelet shows is believed.',
  },
  'kubelet-preferred-address-types': {
    group: generic,
    type: list(),
    default: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
    help: 'Which address of a node to take for its kubelet, the best first.',
  },
  'kubelet-port': {
    group: generic,
    type: whole({ maximum: 65_535 }),
    default: 10_250,
    help: 'The port of kubelets whose nodes do not say theirs.',
  },
  'kubelet-read-only-port': { group: generic, type: whole({ maximum: 65_535 }), default: 10_255, help: 'Changes nothing any more.' },
  'kubelet-timeout': { group: generic, type: duration(), default: 5000, help: 'How long it may take to be connected with a kubelet.' },
  controllers: {
    group: generic,
    type: list(),
    help: 'Controllers to run in the server: * is all, none is none, -name leaves one out. Default * on embedded and memory, none on etcd3.',
  },
  v: { group: misc, type: whole(), default: 0, help: 'How much is written to stderr.' },
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
