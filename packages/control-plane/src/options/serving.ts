import { hasMethods, isBoolean, isNumber, isRegExp, isString, isListOf, isObjectOf, requireOption } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import { serverDefaults } from '@keelson/server'
import type { CertificateStore, KeyPair } from '@keelson/server'
import type { CertificateFiles, NamedCertificateFiles } from '../serving-files.ts'

/** Options for the port, certificates and connection limits. */
export interface ServingOptions {
  readonly bindAddress?: string
  /** Address by which other machines reach the server. Default: the bind address, or the first external address. */
  readonly advertiseAddress?: string
  /** Port to listen on; 0 selects a free one. */
  readonly port?: number
  readonly http2?: boolean
  /** Maximum number of concurrent requests on an HTTP/2 connection. */
  readonly maxStreamsPerConnection?: number
  /** Probability, from 0 to 0.02, that the server sends GOAWAY after an HTTP/2 request, so that the client reconnects. */
  readonly goAwayChance?: number
  /** Lets the Node.js process exit while the server is still open, for tests. Pending writes to disk still keep the process alive. */
  readonly unref?: boolean
  /** Options of certificates that the server generates. */
  readonly certificates?: {
    /** Directory in which generated certificates are stored. Default: certificates are generated on each start and kept in memory. */
    readonly directory?: string
    /** Store of generated certificates and of the key for service account tokens, such as one in memory that several servers share. */
    readonly store?: CertificateStore
    /** Additional DNS names and IP addresses in the serving certificate. */
    readonly names?: readonly string[]
  }
  /** Serving certificate and key in PEM. Default: generated. */
  readonly certificate?: KeyPair
  /** PEM files of the serving certificate, reloaded on changes. Mutually exclusive with `certificate`. */
  readonly certificateFiles?: CertificateFiles
  /** Certificates for single server names (SNI), reloaded on changes. */
  readonly namedCertificateFiles?: readonly NamedCertificateFiles[]
  /** Minimum TLS version, by the name that Kubernetes uses. */
  readonly tlsMinVersion?: string
  /** Cipher suites, by the names that Kubernetes uses. Default: the cipher suites of Node.js. */
  readonly tlsCipherSuites?: readonly string[]
  /**
   * File for the administrator's kubeconfig, written when the server listens. Default: no file; the property `kubeconfig` of the server has
   * the content.
   */
  readonly kubeconfigPath?: string
  /** Patterns of the `Origin` headers that CORS allows. */
  readonly corsAllowedOrigins?: readonly RegExp[]
  /** Directives of the `Strict-Transport-Security` header. Default: no header. */
  readonly hstsDirectives?: readonly string[]
}

export const servingDefaults: Required<
  Pick<ServingOptions, 'bindAddress' | 'port' | 'http2' | 'maxStreamsPerConnection' | 'goAwayChance' | 'unref' | 'tlsMinVersion'>
> = {
  bindAddress: '127.0.0.1',
  port: 0,
  http2: true,
  maxStreamsPerConnection: serverDefaults.maxStreamsPerConnection,
  goAwayChance: 0,
  unref: false,
  tlsMinVersion: 'VersionTLS12',
}

const strings = isListOf(isString)
const files: OptionTable<CertificateFiles> = { certificateFile: requireOption(isString), keyFile: requireOption(isString) }

export const servingChecks: OptionTable<ServingOptions> = {
  bindAddress: isString,
  advertiseAddress: isString,
  port: isNumber({ max: 65_535, integer: true }),
  http2: isBoolean,
  maxStreamsPerConnection: isNumber({ integer: true }),
  goAwayChance: isNumber({ max: 1 }),
  unref: isBoolean,
  certificates: isObjectOf<NonNullable<ServingOptions['certificates']>>({
    directory: isString,
    store: hasMethods('load', 'save'),
    names: strings,
  }),
  certificate: isObjectOf<KeyPair>({ certificate: requireOption(isString), key: requireOption(isString) }),
  certificateFiles: isObjectOf<CertificateFiles>(files),
  namedCertificateFiles: isListOf(isObjectOf<NamedCertificateFiles>({ ...files, names: strings })),
  tlsMinVersion: isString,
  tlsCipherSuites: strings,
  kubeconfigPath: isString,
  corsAllowedOrigins: isListOf(isRegExp),
  hstsDirectives: strings,
}
