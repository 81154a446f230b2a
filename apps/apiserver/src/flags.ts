export interface FlagDefinition {
  readonly name: string
  readonly group: string
  readonly type: 'string' | 'integer' | 'boolean' | 'duration' | 'list' | 'choice'
  /** Durations in milliseconds. */
  readonly default?: string | number | boolean | readonly string[]
  readonly help: string
  readonly choices?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  /** For strings: what they must look like, and how to say it. */
  readonly check?: RegExp
  readonly meaning?: string
}

const storage = 'Storage'
const serving = 'Secure serving'
const authentication = 'Authentication and authorization'
const generic = 'Server'
const misc = 'Misc'

const address = /^[0-9a-fA-F.:]+$/
const addressMeaning = 'an IP address'

/** Names and defaults are kube-apiserver's wherever it has the flag. */
export const flags: readonly FlagDefinition[] = [
  {
    group: storage,
    name: 'data-dir',
    type: 'string',
    default: './.keelson',
    help: 'Where the store, the certificates and admin.kubeconfig are kept.',
  },
  {
    group: storage,
    name: 'storage-backend',
    type: 'choice',
    choices: ['embedded', 'memory', 'etcd3'],
    help: 'Where objects are stored: embedded (durable, in --data-dir), memory (gone when the server stops), etcd3 (--etcd-servers). Default embedded.',
  },
  { group: storage, name: 'etcd-servers', type: 'list', help: 'etcd servers to connect with (scheme://ip:port), comma separated.' },
  { group: storage, name: 'etcd-prefix', type: 'string', default: '/registry', help: 'What every key in the store begins with.' },
  {
    group: storage,
    name: 'encryption-provider-config',
    type: 'string',
    help: 'A file that says which resources are encrypted in the store, and how (EncryptionConfiguration).',
  },
  {
    group: storage,
    name: 'encryption-provider-config-automatic-reload',
    type: 'boolean',
    default: false,
    help: 'Follow changes of the file of --encryption-provider-config.',
  },
  { group: storage, name: 'watch-cache', type: 'boolean', default: true, help: 'Serve lists and watches from a cache in memory.' },
  { group: storage, name: 'event-ttl', type: 'duration', default: 3_600_000, help: 'How long events are kept.' },
  {
    group: storage,
    name: 'delete-collection-workers',
    type: 'integer',
    minimum: 1,
    default: 1,
    help: 'How many objects of a collection are deleted at once.',
  },
  {
    group: storage,
    name: 'enable-garbage-collector',
    type: 'boolean',
    default: true,
    help: 'Deletions mark what a garbage collector must finish.',
  },

  {
    group: serving,
    name: 'bind-address',
    type: 'string',
    default: '0.0.0.0',
    check: address,
    meaning: addressMeaning,
    help: 'The IP address to listen on; 0.0.0.0 or :: is every interface.',
  },
  { group: serving, name: 'secure-port', type: 'integer', maximum: 65_535, default: 6443, help: 'The HTTPS port; 0 is any free one.' },
  {
    group: serving,
    name: 'cert-dir',
    type: 'string',
    help: 'Where certificates that the server makes for itself are kept. Default DATA-DIR/certs.',
  },
  {
    group: serving,
    name: 'tls-cert-file',
    type: 'string',
    help: 'The certificate to serve with, PEM, authorities after it. Default: one made by the server.',
  },
  { group: serving, name: 'tls-private-key-file', type: 'string', help: 'The private key of --tls-cert-file.' },
  { group: serving, name: 'disable-http2-serving', type: 'boolean', default: false, help: 'HTTP/1.1 alone.' },
  {
    group: serving,
    name: 'advertise-address',
    type: 'string',
    check: address,
    meaning: addressMeaning,
    help: 'The address at which others reach the server; it is added to the serving certificate.',
  },
  {
    group: serving,
    name: 'external-hostname',
    type: 'string',
    help: 'The host name at which others reach the server; it is added to the serving certificate.',
  },

  {
    group: authentication,
    name: 'client-ca-file',
    type: 'string',
    help: 'Authorities of client certificates; CN is the user, each O a group.',
  },
  { group: authentication, name: 'token-auth-file', type: 'string', help: 'Tokens, one per line: token,user,uid,"group1,group2".' },
  {
    group: authentication,
    name: 'anonymous-auth',
    type: 'boolean',
    default: true,
    help: 'Requests without credentials are system:anonymous instead of 401.',
  },
  {
    group: authentication,
    name: 'authorization-always-allow-paths',
    type: 'list',
    default: ['/healthz', '/readyz', '/livez'],
    help: 'Paths that need no permission; a trailing * is a prefix.',
  },

  {
    group: generic,
    name: 'max-requests-inflight',
    type: 'integer',
    default: 400,
    help: 'Reads that are served at once; more are answered with 429. 0 is no limit.',
  },
  { group: generic, name: 'max-mutating-requests-inflight', type: 'integer', default: 200, help: 'The same for writes.' },
  {
    group: generic,
    name: 'request-timeout',
    type: 'duration',
    default: 60_000,
    help: 'How long a request may take; watches are not meant.',
  },
  {
    group: generic,
    name: 'min-request-timeout',
    type: 'integer',
    default: 1800,
    help: 'Seconds after which a watch without a timeout of its own is ended at the earliest.',
  },
  { group: generic, name: 'shutdown-delay-duration', type: 'duration', default: 0, help: 'How long /readyz fails before a stop begins.' },
  {
    group: generic,
    name: 'service-cluster-ip-range',
    type: 'string',
    default: '10.0.0.0/24',
    check: /^[0-9a-fA-F.:]+\/\d+(,[0-9a-fA-F.:]+\/\d+)?$/,
    meaning: 'a CIDR range like 10.0.0.0/16',
    help: 'The addresses that services get; the first belongs to the API server.',
  },
  {
    group: generic,
    name: 'service-node-port-range',
    type: 'string',
    default: '30000-32767',
    check: /^\d{1,5}([-+]\d{1,5})?$/,
    meaning: 'a range of ports like 30000-32767',
    help: 'The ports that services of type NodePort get on every node; both ends belong to it.',
  },
  {
    group: generic,
    name: 'controllers',
    type: 'list',
    help: 'Controllers to run in the server: * is all, none is none, -name leaves one out. Default * on embedded and memory, none on etcd3.',
  },

  { group: misc, name: 'v', type: 'integer', default: 0, help: 'How much is written to stderr.' },
]
