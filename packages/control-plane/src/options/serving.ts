import { isBoolean, isNumber, isRegExp, isString, listOf, objectOf, required } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import { serverDefaults } from '@keelson/server'
import type { KeyPair } from '@keelson/server'
import type { CertificateFiles, NamedCertificateFiles } from '../serving-files.ts'

/** The port, its certificates, and the rules for connections. */
export interface ServingOptions {
  readonly bindAddress?: string
  /** Address at which others reach the server. Default: the bind address, or this machine's own. */
  readonly advertiseAddress?: string
  /** 0 is any free port. */
  readonly port?: number
  readonly http2?: boolean
  /** Requests that one HTTP/2 connection may have open. */
  readonly maxStreamsPerConnection?: number
  /** Probability, from 0 to 0.02, that an HTTP/2 client is asked to reconnect after a request. */
  readonly goAwayChance?: number
  /** An unclosed server does not keep the process alive: for tests. Pending writes to disk do. */
  readonly unref?: boolean
  /** Certificates that the server makes for itself. */
  readonly certificates?: {
    /** Absent: in memory, new at each start. */
    readonly directory?: string
    /** Further names and addresses for the serving certificate. */
    readonly names?: readonly string[]
  }
  /** PEM. Absent: the server makes its own. */
  readonly certificate?: KeyPair
  /** PEM files, followed: a change is served without a restart. They exclude `certificate`. */
  readonly certificateFiles?: CertificateFiles
  /** For clients that ask for one of their names. Followed, too. */
  readonly namedCertificateFiles?: readonly NamedCertificateFiles[]
  /** Oldest TLS version, by Kubernetes' name. */
  readonly tlsMinVersion?: string
  /** By Kubernetes' names. Default: the runtime's. */
  readonly tlsCipherSuites?: readonly string[]
  /** Written when the server listens. Absent: not written; `kubeconfig` of the server has the text. */
  readonly kubeconfigPath?: string
  /** Patterns of `Origin` headers whose pages may send requests. */
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

const strings = listOf(isString)
const files: OptionTable<CertificateFiles> = { certificateFile: required(isString), keyFile: required(isString) }

export const servingChecks: OptionTable<ServingOptions> = {
  bindAddress: isString,
  advertiseAddress: isString,
  port: isNumber({ max: 65_535, integer: true }),
  http2: isBoolean,
  maxStreamsPerConnection: isNumber({ integer: true }),
  goAwayChance: isNumber({ max: 1 }),
  unref: isBoolean,
  certificates: objectOf<NonNullable<ServingOptions['certificates']>>({ directory: isString, names: strings }),
  certificate: objectOf<KeyPair>({ certificate: required(isString), key: required(isString) }),
  certificateFiles: objectOf<CertificateFiles>(files),
  namedCertificateFiles: listOf(objectOf<NamedCertificateFiles>({ ...files, names: strings })),
  tlsMinVersion: isString,
  tlsCipherSuites: strings,
  kubeconfigPath: isString,
  corsAllowedOrigins: listOf(isRegExp),
  hstsDirectives: strings,
}
