import {
  closestMatch,
  hasMethods,
  isBoolean,
  isFunction,
  isNumber,
  isOneOf,
  isRegExp,
  isString,
  listOf,
  mapOf,
  objectOf,
  required,
} from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import type { AdmissionOptions, ServerChainOptions } from './server-chain-options.ts'

type Part<Name extends keyof ServerChainOptions> = NonNullable<ServerChainOptions[Name]>
type Item<List> = List extends readonly (infer One)[] ? One : never

const strings = listOf(isString)
const milliseconds = isNumber()
const count = isNumber({ integer: true })
const port = isNumber({ max: 65_535, integer: true })
const pair = { certificateFile: required(isString), keyFile: required(isString) }

/** Which options there are and what each may be. What they mean together `findOptionProblems` judges. */
export const optionTable: OptionTable<ServerChainOptions> = {
  storage: objectOf<Part<'storage'>>({
    type: isString,
    prefix: isString,
    transport: objectOf<NonNullable<Part<'storage'>['transport']>>({
      serverList: required(strings),
      keyFile: isString,
      certFile: isString,
      trustedCAFile: isString,
    }),
    compactionInterval: milliseconds,
    dataDir: isString,
    durability: isOneOf('fsync', 'memory'),
  }),
  storageOverrides: listOf(objectOf<Item<Part<'storageOverrides'>>>({ resource: required(isString), servers: required(strings) })),
  storageMediaType: isString,
  drivers: mapOf(isFunction),
  backend: hasMethods('get', 'list', 'watch'),
  encryption: objectOf<Part<'encryption'>>({ configFile: required(isString), automaticReload: isBoolean }),
  certificates: objectOf<Part<'certificates'>>({ directory: isString, names: strings }),
  servingCertificate: objectOf<Part<'servingCertificate'>>({ certificate: required(isString), key: required(isString) }),
  servingCertificateFiles: objectOf<Part<'servingCertificateFiles'>>(pair),
  namedCertificateFiles: listOf(objectOf<Item<Part<'namedCertificateFiles'>>>({ ...pair, names: strings })),
  clientAuthorities: strings,
  clientAuthorityFiles: strings,
  kubeconfigPath: isString,
  bindAddress: isString,
  advertiseAddress: isString,
  port,
  http2: isBoolean,
  unref: isBoolean,
  tlsMinVersion: isString,
  tlsCipherSuites: strings,
  featureGates: mapOf(isBoolean),
  corsAllowedOrigins: listOf(isRegExp),
  hstsDirectives: strings,
  tokenFile: isString,
  tokens: listOf(hasMethods('authenticateToken')),
  serviceAccounts: objectOf<Part<'serviceAccounts'>>({
    issuers: strings,
    signingKeyFile: isString,
    keyFiles: strings,
    audiences: strings,
    keySetUri: isString,
    maxTokenExpirationSeconds: isNumber(),
    extendTokenExpiration: isBoolean,
  }),
  anonymousAuth: isBoolean,
  alwaysAllowPaths: strings,
  admission: objectOf<AdmissionOptions>({
    enable: strings,
    disable: strings,
    configFile: isString,
    plugins: mapOf(isFunction),
    defaultTolerationSeconds: objectOf<NonNullable<AdmissionOptions['defaultTolerationSeconds']>>({
      notReadySeconds: count,
      unreachableSeconds: count,
    }),
  }),
  limits: objectOf<Part<'limits'>>({ readOnly: required(count), mutating: required(count) }),
  requestTimeoutMs: milliseconds,
  minRequestTimeoutSeconds: isNumber(),
  maxStreamsPerConnection: count,
  goAwayChance: isNumber({ max: 1 }),
  shutdownDelayMs: milliseconds,
  shutdownSendRetryAfter: isBoolean,
  livezGraceMs: milliseconds,
  shutdownGraceMs: milliseconds,
  watchCache: isBoolean,
  watchCacheSizes: mapOf(count),
  defaultWatchCacheSize: count,
  eventTtlSeconds: isNumber(),
  deleteCollectionWorkers: count,
  enableGarbageCollection: isBoolean,
  serviceClusterIpRange: isString,
  serviceNodePortRange: isString,
  endpointReconcilerType: isOneOf('lease', 'none'),
  kubelet: objectOf<Part<'kubelet'>>({
    port,
    preferredAddressTypes: strings,
    timeoutMs: milliseconds,
    authorityFile: isString,
    certificateFile: isString,
    keyFile: isString,
  }),
  controllers: strings,
  clock: hasMethods('now', 'after'),
  log: isFunction,
  logRequests: isBoolean,
  flags: mapOf(isString),
  profiling: isBoolean,
  groups: listOf(hasMethods('register')),
  authenticators: listOf(hasMethods('authenticate')),
  authorizers: listOf(hasMethods('authorize')),
  runtimeConfig: mapOf(isBoolean),
}

const builtinTypes = ['memory', 'embedded', 'etcd3']

/** A storage type that no driver has. */
export const storageTypeProblems = ({ storage, drivers = {} }: ServerChainOptions): readonly string[] => {
  const type = storage?.type
  const known = [...new Set([...builtinTypes, ...Object.keys(drivers)])]
  if (type === undefined || type === '' || type === 'etcd2' || known.includes(type)) return []
  const guess = closestMatch(type, known)
  const hint = guess === undefined ? `allowed: ${known.join(', ')}` : `did you mean ${JSON.stringify(guess)}?`
  return [`storage.type: unknown storage type ${JSON.stringify(type)}; ${hint}`]
}
