import { servingDefaults } from '@keelson/control-plane'
import type { ServerChainOptions } from '@keelson/control-plane'
import {
  createDirectoryType,
  createFileType,
  createIpAddressType,
  list,
  createNamedCertificatesType,
  onOff,
  createChoiceType,
  createTextType,
  createIntegerType,
  createNumberType,
} from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import { parseHstsDirective, parseOriginPattern } from '../header-flags.ts'
import type { Problems } from '../start-error.ts'
import { readEach, checkFlagFile, readFilePair } from './flag-files.ts'

const group = 'Secure serving'

/** Flags of the port and its certificates. Names and defaults are the same as in kube-apiserver if it has the flag. */
export const servingFlags = {
  'bind-address': {
    group,
    type: createIpAddressType(),
    help: 'IP address to listen on; 0.0.0.0 or :: means every interface. Default 127.0.0.1; with --etcd-servers 0.0.0.0.',
  },
  'secure-port': { group, type: createIntegerType({ maximum: 65_535 }), default: 6443, help: 'HTTPS port. 0 selects a free port.' },
  'cert-dir': {
    group,
    type: createDirectoryType(),
    help: 'Directory of the certificates that the server creates. Default DATA-DIR/certs; in memory with --storage-backend=memory.',
  },
  'tls-cert-file': {
    group,
    type: createFileType(),
    help: 'PEM file with the serving certificate, followed by its intermediate certificates. Default: a certificate that the server creates.',
  },
  'tls-private-key-file': { group, type: createFileType(), help: 'PEM file with the private key of --tls-cert-file.' },
  'tls-sni-cert-key': {
    group,
    type: createNamedCertificatesType(),
    help: 'Certificate and key for clients that request one of its names, or one of the names after the colon. May be given several times. Changed files are loaded without a restart.',
  },
  'http2-max-streams-per-connection': {
    group,
    type: createIntegerType({ maximum: 2 ** 31 - 1 }),
    default: servingDefaults.maxStreamsPerConnection,
    help: 'Maximum number of concurrent requests on one HTTP/2 connection. 0 selects the default.',
  },
  'tls-min-version': {
    group,
    type: createChoiceType('VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'),
    default: servingDefaults.tlsMinVersion,
    help: 'Minimum TLS version.',
  },
  'tls-cipher-suites': {
    group,
    type: list(),
    help: 'Cipher suites for TLS 1.2 and older (TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256). Default: the suites of Node.',
  },
  'goaway-chance': {
    group,
    type: createNumberType({ maximum: 0.02 }),
    default: servingDefaults.goAwayChance,
    help: 'Probability of closing an HTTP/2 connection after a request, so that load balancers can distribute clients: from 0 (never) to 0.02.',
  },
  'disable-http2-serving': { group, type: onOff(), default: false, help: 'Serve HTTP/1.1 only.' },
  'advertise-address': {
    group,
    type: createIpAddressType(),
    help: 'IP address that clients use for the server. It is added to the serving certificate.',
  },
  'external-hostname': {
    group,
    type: createTextType(),
    help: 'Host name that clients use for the server. It is added to the serving certificate.',
  },
  'cors-allowed-origins': {
    group,
    type: list(),
    help: "Patterns of web origins that may send requests. Each must match both ends of the host: '//example\\.com(:|$)'.",
  },
  'strict-transport-security-directives': {
    group,
    type: list(),
    help: 'Directives of the Strict-Transport-Security header: max-age=31536000,includeSubDomains,preload. Default: no header.',
  },
} as const

type ServingValues = FlagValuesOf<typeof servingFlags>

/**
 * Returns the address to listen on. By default, a server with etcd listens on every interface, like kube-apiserver. Other servers listen
 * only on the loopback address by default.
 */
export function bindAddress(values: ServingValues & { readonly 'etcd-servers'?: readonly string[] }): string {
  return values['bind-address'] ?? (values['etcd-servers'] === undefined ? servingDefaults.bindAddress : '0.0.0.0')
}

interface Directories {
  /** Directory of certificates that the server creates. Undefined if they are kept in memory. */
  readonly certificates: string | undefined
  readonly kubeconfigPath: string | undefined
}

export async function readServingOptions(
  values: ServingValues,
  { certificates, kubeconfigPath }: Directories,
  problems: Problems,
): Promise<NonNullable<ServerChainOptions['serving']>> {
  const certificateFiles = await readFilePair(
    { 'tls-cert-file': values['tls-cert-file'], 'tls-private-key-file': values['tls-private-key-file'] },
    problems,
  )
  const sniPairs = values['tls-sni-cert-key']
  for (const { certificateFile, keyFile } of sniPairs ?? []) {
    await checkFlagFile('tls-sni-cert-key', certificateFile, problems)
    await checkFlagFile('tls-sni-cert-key', keyFile, problems)
  }
  if (values['goaway-chance'] > 0 && values['disable-http2-serving']) {
    problems.usage('--goaway-chance has no meaning with --disable-http2-serving')
  }
  const advertiseAddress = values['advertise-address']
  const hostname = values['external-hostname']
  const streams = values['http2-max-streams-per-connection']
  const cipherSuites = values['tls-cipher-suites']
  const origins = values['cors-allowed-origins']
  const directives = values['strict-transport-security-directives']
  return {
    bindAddress: bindAddress(values),
    port: values['secure-port'],
    ...(advertiseAddress && { advertiseAddress }),
    http2: !values['disable-http2-serving'],
    ...(streams > 0 && { maxStreamsPerConnection: streams }),
    goAwayChance: values['goaway-chance'],
    certificates: { ...(certificates && { directory: certificates }), names: hostname === undefined ? [] : [hostname] },
    ...(kubeconfigPath && { kubeconfigPath }),
    ...(certificateFiles && { certificateFiles }),
    ...(sniPairs && { namedCertificateFiles: sniPairs }),
    tlsMinVersion: values['tls-min-version'],
    ...(cipherSuites && { tlsCipherSuites: cipherSuites }),
    ...(origins && { corsAllowedOrigins: await readEach(origins, parseOriginPattern, problems) }),
    ...(directives && { hstsDirectives: await readEach(directives, parseHstsDirective, problems) }),
  }
}
