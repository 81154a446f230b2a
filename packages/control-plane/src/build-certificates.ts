import { X509Certificate } from 'node:crypto'
import path from 'node:path'
import { createSecureContext } from 'node:tls'
import type { Delegation } from '@keelson/aggregator/extension-server'
import { createDirectoryCertificateStore, createMemoryCertificateStore, computeFirstServiceIp, openOwnCertificates } from '@keelson/server'
import type { CertificateNote, KeyPair, ServingCertificates } from '@keelson/server'
import { advertiseAddress, getBindAddress } from './addresses.ts'
import { ConfigurationError } from './configuration-error.ts'
import { warnOfReadableKeys } from './private-key-files.ts'
import { servicesDefaults } from './options/services.ts'
import { createFileReader } from './kubelet-tls.ts'
import { mayLookUpFrontProxies, usesOwnFrontProxy } from './request-headers.ts'
import { readAuthorities, readNamed, readPair, ServingFiles } from './serving-files.ts'
import type { AuthoritySources, CertificateFiles } from './serving-files.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

export interface Certificates {
  readonly serving: ServingCertificates
  /** The certificates that the server uses now. Certificates from files are reloaded on changes. */
  readonly files: ServingFiles
  /** CA certificates that clients must trust. */
  readonly authority: string
  /** Client certificate of `system:masters`. */
  readonly admin: KeyPair
  readonly clientAuthorities: readonly string[]
  readonly frontProxyAuthorities: readonly string[]
  /**
   * Returns the client certificate with which this server forwards requests to other API servers. Undefined if no such certificate is
   * configured.
   */
  readonly proxyClient: (() => Promise<KeyPair>) | undefined
}

/** Creates or reads the certificates of the server. The API server to which it delegates publishes the CAs that are not configured. */
export async function buildCertificates(options: ServerChainOptions, delegation?: Delegation): Promise<Certificates> {
  const { certificateFiles, namedCertificateFiles = [], certificate, certificates = {} } = options.serving ?? {}
  const {
    clientAuthorities: givenAuthorities = [],
    clientAuthorityFiles = [],
    frontProxy = {},
    proxyClientFiles,
  } = options.authentication ?? {}
  const pairFromFiles = certificateFiles && (await readPair(certificateFiles))
  const configured = pairFromFiles ?? certificate
  if (configured !== undefined)
    check('the serving certificate and its key', () => createSecureContext({ cert: configured.certificate, key: configured.key }))
  const givenFrontProxies = {
    fixed: frontProxy.authorities ?? [],
    files: frontProxy.authorityFile === undefined ? [] : [frontProxy.authorityFile],
  }
  // Validates the PEM texts. TLS would ignore an invalid one without an error and then reject every client certificate.
  for (const pem of await readAuthorities({ fixed: givenAuthorities, files: clientAuthorityFiles })) {
    check('the authorities of client certificates', () => new X509Certificate(pem))
  }
  for (const pem of await readAuthorities(givenFrontProxies)) {
    check('the authorities of front proxies', () => new X509Certificate(pem))
  }
  const proxyClient = proxyClientFiles && (await readProxyClient(proxyClientFiles))
  const { directory, store = createMemoryCertificateStore(), names = [] } = certificates
  const { clusterIpRange } = { ...servicesDefaults, ...options.services }
  const serviceIp = computeFirstServiceIp(clusterIpRange.split(',')[0]!)
  const generated = await openOwnCertificates({
    store: directory === undefined ? store : createDirectoryCertificateStore(directory),
    names: [...names, ...(serviceIp === undefined ? [] : [serviceIp]), getBindAddress(options.serving), advertiseAddress(options.serving)],
    frontProxy: usesOwnFrontProxy(options),
    onNote: (note) => directory !== undefined && logNote(options, directory, note),
  }).catch((error: unknown) => {
    // Rethrows file system errors unchanged, because their messages already contain the path.
    if ((error as NodeJS.ErrnoException).code !== undefined) throw error
    throw new ConfigurationError(`the certificates in ${directory} cannot be used: ${(error as Error).message}`, { cause: error })
  })
  await warnOfReadableKeys(options)
  const base = configured ?? generated.serving
  const namedCertificates = await Promise.all(namedCertificateFiles.map(readNamed))
  const looksUpClients = givenAuthorities.length + clientAuthorityFiles.length === 0
  const authorities: AuthoritySources = {
    fixed: [generated.ca.certificate, ...givenAuthorities],
    files: clientAuthorityFiles,
    ...(looksUpClients && delegation && { getPublished: () => delegation.published.clientAuthorities }),
  }
  const ownFrontProxy = generated.frontProxy
  const frontProxies: AuthoritySources =
    ownFrontProxy === undefined
      ? {
          ...givenFrontProxies,
          ...(mayLookUpFrontProxies(options) && delegation && { getPublished: () => delegation.published.frontProxyAuthorities }),
        }
      : { fixed: [ownFrontProxy.ca.certificate], files: [] }
  const serving = { ...base, named: namedCertificates }
  const clientAuthorities = await readAuthorities(authorities)
  const frontProxyAuthorities = await readAuthorities(frontProxies)
  return {
    serving,
    files: new ServingFiles({
      pair: certificateFiles ?? base,
      named: namedCertificateFiles,
      authorities,
      frontProxies,
      current: { ...serving, clientAuthorities, frontProxyAuthorities },
      ...(delegation && { onPublished: (listener) => delegation.onChange(listener) }),
    }),
    // For a configured certificate, clients trust the certificate itself, because its CA is not known here.
    authority: configured?.certificate ?? generated.ca.certificate,
    admin: generated.admin,
    clientAuthorities,
    frontProxyAuthorities,
    proxyClient: proxyClient ?? (ownFrontProxy && (async () => ownFrontProxy.client)),
  }
}

/**
 * Reads the proxy client certificate. Returns a function that returns it and reads the files again after they have changed. Throws
 * `ConfigurationError` for files that cannot be used.
 */
async function readProxyClient(files: CertificateFiles): Promise<() => Promise<KeyPair>> {
  const [certificate, key] = [createFileReader(files.certificateFile), createFileReader(files.keyFile)]
  const read = async (): Promise<KeyPair> => ({ certificate: await certificate(), key: await key() })
  const pair = await read().catch((error: unknown) => {
    throw new ConfigurationError(`the client certificate for other API servers cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  })
  check('the client certificate for other API servers and its key', () => createSecureContext({ cert: pair.certificate, key: pair.key }))
  return read
}

function logNote({ log }: ServerChainOptions, directory: string, { kind, name, reason, notBefore, notAfter }: CertificateNote): void {
  const fields = { file: path.join(directory, `${name}.crt`), reason, notBefore: notBefore.toISOString(), notAfter: notAfter.toISOString() }
  if (kind === 'not yet valid') log?.(0, 'The certificate authority is not valid yet: check the clock', { ...fields, reason: undefined })
  else log?.(0, kind === 'made' ? 'Made a certificate' : 'Renewed a certificate', fields)
}

function check(subject: string, run: () => unknown): void {
  try {
    run()
  } catch (error) {
    throw new ConfigurationError(`${subject} cannot be used: ${(error as Error).message}`, { cause: error })
  }
}
