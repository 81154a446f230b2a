import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { ServerChainOptions } from '@keelson/control-plane'
import type { NamedCertificateFlag } from './flag-types.ts'
import { flags, shownValue } from './flags.ts'
import type { FlagValues } from './flags.ts'
import { hstsDirective, originPattern } from './header-flags.ts'
import { StartError } from './start-error.ts'

/** The level of the log at which every request is told of. */
const requestsAreLogged = 3

/** Flags → what the control plane is built from. Reads the files they name; throws `StartError`. */
export async function serverOptions(values: FlagValues, log: NonNullable<ServerChainOptions['log']>): Promise<ServerChainOptions> {
  const dataDir = path.resolve(values['data-dir'])
  const type = values['storage-backend'] ?? (values['etcd-servers'] === undefined ? 'embedded' : 'etcd3')
  const etcd = await etcdOptions(values, type)
  const certFile = values['tls-cert-file']
  const keyFile = values['tls-private-key-file']
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new StartError('--tls-cert-file and --tls-private-key-file go together: one of them is missing', { isUsage: true })
  }
  const named = values['tls-sni-cert-key']
  if (values['goaway-chance'] > 0 && values['disable-http2-serving']) {
    throw new StartError('--goaway-chance has no meaning with --disable-http2-serving', { isUsage: true })
  }
  if (values['request-timeout'] === 0) throw new StartError('--request-timeout must be longer than 0', { isUsage: true })
  return {
    storage: { type, dataDir, durability: values.durability, prefix: values['etcd-prefix'], ...etcd },
    ...storagePlaces(values),
    certificates: {
      directory: values['cert-dir'] ?? path.join(dataDir, 'certs'),
      names: values['external-hostname'] === undefined ? [] : [values['external-hostname']],
    },
    kubeconfigPath: path.join(dataDir, 'admin.kubeconfig'),
    bindAddress: values['bind-address'],
    port: values['secure-port'],
    ...(values['advertise-address'] === undefined ? {} : { advertiseAddress: values['advertise-address'] }),
    ...(certFile === undefined || keyFile === undefined
      ? {}
      : {
          servingCertificateFiles: {
            certificateFile: await existing('tls-cert-file', certFile),
            keyFile: await existing('tls-private-key-file', keyFile),
          },
        }),
    ...(named === undefined ? {} : { namedCertificateFiles: await Promise.all(named.map(namedCertificate)) }),
    ...servingOptions(values),
    goAwayChance: values['goaway-chance'],
    profiling: values.profiling,
    logRequests: values.v >= requestsAreLogged,
    ...(values['runtime-config'] === undefined ? {} : { runtimeConfig: Object.fromEntries(values['runtime-config']) }),
    http2: !values['disable-http2-serving'],
    ...(values['client-ca-file'] === undefined ? {} : { clientAuthorities: [await readText('client-ca-file', values['client-ca-file'])] }),
    ...(values['token-auth-file'] === undefined ? {} : { tokenFile: await existing('token-auth-file', values['token-auth-file']) }),
    serviceAccounts: await serviceAccountOptions(values),
    anonymousAuth: values['anonymous-auth'],
    alwaysAllowPaths: values['authorization-always-allow-paths'],
    admission: admissionOptions(values),
    limits: { readOnly: values['max-requests-inflight'], mutating: values['max-mutating-requests-inflight'] },
    requestTimeoutMs: values['request-timeout'],
    minRequestTimeoutSeconds: values['min-request-timeout'],
    shutdownDelayMs: values['shutdown-delay-duration'],
    watchCache: values['watch-cache'],
    ...(values['watch-cache-sizes'] === undefined ? {} : { watchCacheSizes: values['watch-cache-sizes'] }),
    defaultWatchCacheSize: values['default-watch-cache-size'],
    ...encryptionOptions(values),
    eventTtlSeconds: Math.round(values['event-ttl'] / 1000),
    deleteCollectionWorkers: values['delete-collection-workers'],
    enableGarbageCollection: values['enable-garbage-collector'],
    serviceClusterIpRange: values['service-cluster-ip-range'],
    serviceNodePortRange: values['service-node-port-range'],
    endpointReconcilerType: values['endpoint-reconciler-type'],
    kubelet: await kubeletOptions(values),
    ...(values.controllers === undefined ? {} : { controllers: values.controllers }),
    log,
  }
}

function servingOptions(values: FlagValues): Partial<ServerChainOptions> {
  const streams = values['http2-max-streams-per-connection']
  const cipherSuites = values['tls-cipher-suites']
  const origins = values['cors-allowed-origins']
  const directives = values['strict-transport-security-directives']
  const gates = values['feature-gates']
  return {
    ...(streams > 0 && { maxStreamsPerConnection: streams }),
    tlsMinVersion: values['tls-min-version'],
    ...(cipherSuites && { tlsCipherSuites: cipherSuites }),
    ...(origins && { corsAllowedOrigins: origins.map(originPattern) }),
    ...(directives && { hstsDirectives: directives.map(hstsDirective) }),
    ...(gates && { featureGates: Object.fromEntries(gates) }),
    flags: shownFlags(values),
    livezGraceMs: values['livez-grace-period'],
    shutdownSendRetryAfter: values['shutdown-send-retry-after'],
  }
}

/** All flags, as one would write them. */
function shownFlags(values: FlagValues): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from(flags, ([name, definition]) => [name, shownValue(definition, values[name as keyof FlagValues])]))
}

async function namedCertificate(flag: NamedCertificateFlag): Promise<NamedCertificateFlag> {
  await existing('tls-sni-cert-key', flag.certificateFile)
  await existing('tls-sni-cert-key', flag.keyFile)
  return flag
}

async function kubeletOptions(values: FlagValues): Promise<NonNullable<ServerChainOptions['kubelet']>> {
  const certificateFile = values['kubelet-client-certificate']
  const keyFile = values['kubelet-client-key']
  const authorityFile = values['kubelet-certificate-authority']
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    throw new StartError('--kubelet-client-certificate and --kubelet-client-key go together: one of them is missing', { isUsage: true })
  }
  return {
    port: values['kubelet-port'],
    preferredAddressTypes: values['kubelet-preferred-address-types'],
    timeoutMs: values['kubelet-timeout'],
    ...(certificateFile && { certificateFile: await existing('kubelet-client-certificate', certificateFile) }),
    ...(keyFile && { keyFile: await existing('kubelet-client-key', keyFile) }),
    ...(authorityFile && { authorityFile: await existing('kubelet-certificate-authority', authorityFile) }),
  }
}

function admissionOptions(values: FlagValues): NonNullable<ServerChainOptions['admission']> {
  const configFile = values['admission-control-config-file']
  return {
    enable: values['enable-admission-plugins'] ?? [],
    disable: values['disable-admission-plugins'] ?? [],
    ...(configFile === undefined ? {} : { configFile: path.resolve(configFile) }),
    defaultTolerationSeconds: {
      notReadySeconds: values['default-not-ready-toleration-seconds'],
      unreachableSeconds: values['default-unreachable-toleration-seconds'],
    },
  }
}

function encryptionOptions(values: FlagValues): Pick<ServerChainOptions, 'encryption'> {
  const file = values['encryption-provider-config']
  const automaticReload = values['encryption-provider-config-automatic-reload']
  if (file !== undefined) return { encryption: { configFile: path.resolve(file), automaticReload } }
  if (!automaticReload) return {}
  throw new StartError('--encryption-provider-config-automatic-reload must be set with --encryption-provider-config', { isUsage: true })
}

async function serviceAccountOptions(values: FlagValues): Promise<NonNullable<ServerChainOptions['serviceAccounts']>> {
  const signingKeyFile = values['service-account-signing-key-file']
  const keyFiles = values['service-account-key-file']
  const issuers = values['service-account-issuer']
  const audiences = values['api-audiences']
  const keySetUri = values['service-account-jwks-uri']
  const maximum = values['service-account-max-token-expiration'] ?? 0
  if (maximum !== 0 && (maximum < 3_600_000 || maximum > 2 ** 32 * 1000)) {
    throw new StartError('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds', { isUsage: true })
  }
  if (signingKeyFile !== undefined) await existing('service-account-signing-key-file', signingKeyFile)
  for (const file of keyFiles ?? []) await existing('service-account-key-file', file)
  return {
    ...(issuers && { issuers }),
    ...(signingKeyFile && { signingKeyFile }),
    ...(keyFiles && { keyFiles }),
    ...(audiences && { audiences }),
    ...(keySetUri && { keySetUri }),
    ...(maximum !== 0 && { maxTokenExpirationSeconds: Math.floor(maximum / 1000) }),
    extendTokenExpiration: values['service-account-extend-token-expiration'],
  }
}

const etcdFlags = ['etcd-servers', 'etcd-servers-overrides', 'storage-media-type', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile'] as const

function storagePlaces(values: FlagValues): Pick<ServerChainOptions, 'storageOverrides' | 'storageMediaType'> {
  const storageMediaType = values['storage-media-type']
  const storageOverrides = values['etcd-servers-overrides']?.map((text) => {
    const [resource = '', servers = '', ...rest] = text.split('#')
    if (rest.length > 0 || !/^[^/]*\/[^/]+$/.test(resource) || !servers.split(';').every((server) => URL.canParse(server))) {
      const form = 'must be of format: group/resource#servers, where servers are URLs, semicolon separated'
      throw new StartError(`--etcd-servers-overrides ${JSON.stringify(text)} invalid, ${form}`, { isUsage: true })
    }
    return { resource, servers: servers.split(';') }
  })
  return { ...(storageOverrides && { storageOverrides }), ...(storageMediaType && { storageMediaType }) }
}

type EtcdOptions = Pick<NonNullable<ServerChainOptions['storage']>, 'transport' | 'compactionInterval'>

async function etcdOptions(values: FlagValues, type: string): Promise<EtcdOptions> {
  if (type !== 'etcd3') {
    const given = etcdFlags.find((flag) => values[flag] !== undefined)
    if (given !== undefined) throw new StartError(`--${given} has no meaning with --storage-backend=${type}`, { isUsage: true })
    return {}
  }
  const { 'etcd-servers': serverList, 'etcd-cafile': trustedCAFile, 'etcd-certfile': certFile, 'etcd-keyfile': keyFile } = values
  if (serverList === undefined || serverList.length === 0) {
    throw new StartError('--storage-backend=etcd3 needs --etcd-servers', { isUsage: true })
  }
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new StartError('--etcd-certfile and --etcd-keyfile go together: one of them is missing', { isUsage: true })
  }
  return {
    transport: {
      serverList,
      ...(trustedCAFile === undefined ? {} : { trustedCAFile: await existing('etcd-cafile', trustedCAFile) }),
      ...(certFile === undefined ? {} : { certFile: await existing('etcd-certfile', certFile) }),
      ...(keyFile === undefined ? {} : { keyFile: await existing('etcd-keyfile', keyFile) }),
    },
    compactionInterval: values['etcd-compaction-interval'],
  }
}

async function readText(flag: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw cannotRead(flag, file, error)
  }
}

async function existing(flag: string, file: string): Promise<string> {
  await readText(flag, file)
  return file
}

function cannotRead(flag: string, file: string, error: unknown): StartError {
  const { code, message } = error as NodeJS.ErrnoException
  const why =
    code === 'ENOENT'
      ? 'there is no such file'
      : code === 'EACCES'
        ? 'it may not be read'
        : code === 'EISDIR'
          ? 'it is a directory'
          : message
  return new StartError(`--${flag}: cannot read ${file}: ${why}`, { cause: error })
}
