import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { ServerChainOptions } from '@keelson/control-plane'
import { flags, shownValue } from './flags.ts'
import type { FlagValues } from './flags.ts'
import { hstsDirective, originPattern } from './header-flags.ts'
import { StartError } from './start-error.ts'
import type { Problems } from './start-error.ts'

/** The level of the log from which on every request is logged. */
const requestsAreLogged = 3

/** The address to listen on when no flag names one: every interface for a server that shares etcd with others, as kube-apiserver's; otherwise this machine alone. */
export function bindAddress(values: FlagValues): string {
  return values['bind-address'] ?? (values['etcd-servers'] === undefined ? '127.0.0.1' : '0.0.0.0')
}

/** Where the administrator's kubeconfig is written. */
export function kubeconfigPath(values: FlagValues): string {
  return path.join(path.resolve(values['data-dir']), 'admin.kubeconfig')
}

/** Converts flags to options of the control plane. Reads the files that they name. Mistakes are added to `problems`; the options are then incomplete. */
export async function serverOptions(
  values: FlagValues,
  log: NonNullable<ServerChainOptions['log']>,
  problems: Problems,
): Promise<ServerChainOptions> {
  const dataDir = path.resolve(values['data-dir'])
  const type = values['storage-backend'] ?? (values['etcd-servers'] === undefined ? 'embedded' : 'etcd3')
  // A server in memory needs no directory. Its certificates are only kept in a directory that a flag names.
  const keepsNothing = type === 'memory' && values['data-dir'] === flags.get('data-dir')!.default
  const etcd = await etcdOptions(values, type, problems)
  const servingFiles = await filePair(values, 'tls-cert-file', 'tls-private-key-file', problems)
  const named = values['tls-sni-cert-key']
  if (values['goaway-chance'] > 0 && values['disable-http2-serving']) {
    problems.usage('--goaway-chance has no meaning with --disable-http2-serving')
  }
  if (values['request-timeout'] === 0) problems.usage('--request-timeout must be longer than 0')
  for (const { certificateFile, keyFile } of named ?? []) {
    await existing('tls-sni-cert-key', certificateFile, problems)
    await existing('tls-sni-cert-key', keyFile, problems)
  }
  const clientAuthorityFile = await existing('client-ca-file', values['client-ca-file'], problems)
  return {
    storage: { type, dataDir, durability: values.durability, prefix: values['etcd-prefix'], ...etcd },
    ...(await storagePlaces(values, problems)),
    certificates: {
      ...optional('directory', values['cert-dir'] ?? (keepsNothing ? undefined : path.join(dataDir, 'certs'))),
      names: values['external-hostname'] === undefined ? [] : [values['external-hostname']],
    },
    ...(keepsNothing ? {} : { kubeconfigPath: kubeconfigPath(values) }),
    bindAddress: bindAddress(values),
    port: values['secure-port'],
    ...(values['advertise-address'] === undefined ? {} : { advertiseAddress: values['advertise-address'] }),
    ...(servingFiles && { servingCertificateFiles: servingFiles }),
    ...(named === undefined ? {} : { namedCertificateFiles: named }),
    ...(await servingOptions(values, problems)),
    goAwayChance: values['goaway-chance'],
    profiling: values.profiling,
    logRequests: values.v >= requestsAreLogged,
    ...(values['runtime-config'] === undefined ? {} : { runtimeConfig: Object.fromEntries(values['runtime-config']) }),
    http2: !values['disable-http2-serving'],
    ...(clientAuthorityFile === undefined ? {} : { clientAuthorityFiles: [clientAuthorityFile] }),
    ...optional('tokenFile', await existing('token-auth-file', values['token-auth-file'], problems)),
    serviceAccounts: await serviceAccountOptions(values, problems),
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
    ...encryptionOptions(values, problems),
    eventTtlSeconds: Math.round(values['event-ttl'] / 1000),
    deleteCollectionWorkers: values['delete-collection-workers'],
    enableGarbageCollection: values['enable-garbage-collector'],
    serviceClusterIpRange: values['service-cluster-ip-range'],
    serviceNodePortRange: values['service-node-port-range'],
    endpointReconcilerType: values['endpoint-reconciler-type'],
    kubelet: await kubeletOptions(values, problems),
    ...(values.controllers === undefined ? {} : { controllers: values.controllers }),
    log,
  }
}

async function servingOptions(values: FlagValues, problems: Problems): Promise<Partial<ServerChainOptions>> {
  const streams = values['http2-max-streams-per-connection']
  const cipherSuites = values['tls-cipher-suites']
  const origins = values['cors-allowed-origins']
  const directives = values['strict-transport-security-directives']
  const gates = values['feature-gates']
  return {
    ...(streams > 0 && { maxStreamsPerConnection: streams }),
    tlsMinVersion: values['tls-min-version'],
    ...(cipherSuites && { tlsCipherSuites: cipherSuites }),
    ...(origins && { corsAllowedOrigins: await each(origins, originPattern, problems) }),
    ...(directives && { hstsDirectives: await each(directives, hstsDirective, problems) }),
    ...(gates && { featureGates: Object.fromEntries(gates) }),
    flags: shownFlags({ ...values, 'bind-address': bindAddress(values) }),
    livezGraceMs: values['livez-grace-period'],
    shutdownSendRetryAfter: values['shutdown-send-retry-after'],
  }
}

/** All flags, as one would write them. */
function shownFlags(values: FlagValues): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from(flags, ([name, definition]) => [name, shownValue(definition, values[name as keyof FlagValues])]))
}

async function kubeletOptions(values: FlagValues, problems: Problems): Promise<NonNullable<ServerChainOptions['kubelet']>> {
  const client = await filePair(values, 'kubelet-client-certificate', 'kubelet-client-key', problems)
  const authorityFile = await existing('kubelet-certificate-authority', values['kubelet-certificate-authority'], problems)
  return {
    port: values['kubelet-port'],
    preferredAddressTypes: values['kubelet-preferred-address-types'],
    timeoutMs: values['kubelet-timeout'],
    ...client,
    ...optional('authorityFile', authorityFile),
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

function encryptionOptions(values: FlagValues, problems: Problems): Pick<ServerChainOptions, 'encryption'> {
  const file = values['encryption-provider-config']
  const automaticReload = values['encryption-provider-config-automatic-reload']
  if (file !== undefined) return { encryption: { configFile: path.resolve(file), automaticReload } }
  if (automaticReload) problems.usage('--encryption-provider-config-automatic-reload must be set with --encryption-provider-config')
  return {}
}

async function serviceAccountOptions(values: FlagValues, problems: Problems): Promise<NonNullable<ServerChainOptions['serviceAccounts']>> {
  const signingKeyFile = await existing('service-account-signing-key-file', values['service-account-signing-key-file'], problems)
  const keyFiles = values['service-account-key-file']
  const issuers = values['service-account-issuer']
  const audiences = values['api-audiences']
  const keySetUri = values['service-account-jwks-uri']
  const maximum = values['service-account-max-token-expiration'] ?? 0
  if (maximum !== 0 && (maximum < 3_600_000 || maximum > 2 ** 32 * 1000)) {
    problems.usage('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds')
  }
  for (const file of keyFiles ?? []) await existing('service-account-key-file', file, problems)
  return {
    ...(issuers && { issuers }),
    ...optional('signingKeyFile', signingKeyFile),
    ...(keyFiles && { keyFiles }),
    ...(audiences && { audiences }),
    ...(keySetUri && { keySetUri }),
    ...(maximum !== 0 && { maxTokenExpirationSeconds: Math.floor(maximum / 1000) }),
    extendTokenExpiration: values['service-account-extend-token-expiration'],
  }
}

const etcdFlags = ['etcd-servers', 'etcd-servers-overrides', 'storage-media-type', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile'] as const

async function storagePlaces(
  values: FlagValues,
  problems: Problems,
): Promise<Pick<ServerChainOptions, 'storageOverrides' | 'storageMediaType'>> {
  const storageMediaType = values['storage-media-type']
  const storageOverrides = await each(values['etcd-servers-overrides'] ?? [], storageOverride, problems)
  return { ...(storageOverrides.length > 0 && { storageOverrides }), ...(storageMediaType && { storageMediaType }) }
}

function storageOverride(text: string): NonNullable<ServerChainOptions['storageOverrides']>[number] {
  const [resource = '', servers = '', ...rest] = text.split('#')
  if (rest.length > 0 || !/^[^/]*\/[^/]+$/.test(resource) || !servers.split(';').every((server) => URL.canParse(server))) {
    const form = 'must be of format: group/resource#servers, where servers are URLs, semicolon separated'
    throw new StartError(`--etcd-servers-overrides ${JSON.stringify(text)} invalid, ${form}`, { isUsage: true })
  }
  return { resource, servers: servers.split(';') }
}

type EtcdOptions = Pick<NonNullable<ServerChainOptions['storage']>, 'transport' | 'compactionInterval'>

async function etcdOptions(values: FlagValues, type: string, problems: Problems): Promise<EtcdOptions> {
  if (type !== 'etcd3') {
    for (const flag of etcdFlags) if (values[flag] !== undefined) problems.usage(`--${flag} has no meaning with --storage-backend=${type}`)
    return {}
  }
  const serverList = values['etcd-servers'] ?? []
  if (serverList.length === 0) problems.usage('--storage-backend=etcd3 needs --etcd-servers')
  const client = await filePair(values, 'etcd-certfile', 'etcd-keyfile', problems)
  const trustedCAFile = await existing('etcd-cafile', values['etcd-cafile'], problems)
  return {
    transport: {
      serverList,
      ...optional('trustedCAFile', trustedCAFile),
      ...(client && { certFile: client.certificateFile, keyFile: client.keyFile }),
    },
    compactionInterval: values['etcd-compaction-interval'],
  }
}

type FileFlag = {
  [K in keyof FlagValues]-?: FlagValues[K] extends string | undefined ? K : never
}[keyof FlagValues]

/** A certificate and its key, which only make sense together. */
async function filePair(
  values: FlagValues,
  certificate: FileFlag,
  key: FileFlag,
  problems: Problems,
): Promise<{ readonly certificateFile: string; readonly keyFile: string } | undefined> {
  if ((values[certificate] === undefined) !== (values[key] === undefined)) {
    problems.usage(`--${certificate} and --${key} go together: one of them is missing`)
  }
  const certificateFile = await existing(certificate, values[certificate], problems)
  const keyFile = await existing(key, values[key], problems)
  return certificateFile === undefined || keyFile === undefined ? undefined : { certificateFile, keyFile }
}

async function each<T, R>(items: readonly T[], read: (item: T) => R, problems: Problems): Promise<R[]> {
  const results: R[] = []
  for (const item of items) await problems.attempt(() => results.push(read(item)))
  return results
}

function optional<K extends string, V>(name: K, value: V | undefined): { readonly [key in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [key in K]: V })
}

/** The file, if it can be read. */
async function existing(flag: string, file: string | undefined, problems: Problems): Promise<string | undefined> {
  const text = await problems.attempt(() => readText(flag, file))
  return text === undefined ? undefined : file
}

async function readText(flag: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw cannotRead(flag, file, error)
  }
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
