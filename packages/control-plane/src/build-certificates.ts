import { X509Certificate } from 'node:crypto'
import path from 'node:path'
import { createSecureContext } from 'node:tls'
import { createDirectoryCertificateStore, createMemoryCertificateStore, firstServiceIp, ownCertificates } from '@keelson/server'
import type { CertificateNote, KeyPair, ServingCertificates } from '@keelson/server'
import { advertiseAddress, bindAddressOf } from './addresses.ts'
import { ConfigurationError } from './configuration-error.ts'
import { warnOfReadableKeys } from './private-key-files.ts'
import { servicesDefaults } from './options/services.ts'
import { readAuthorities, readNamed, readPair, ServingFiles } from './serving-files.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

export interface Certificates {
  readonly serving: ServingCertificates
  /** Certificates in files, which are reloaded on changes. */
  readonly files: ServingFiles | undefined
  /** CA certificates that clients must trust. */
  readonly authority: string
  /** Client certificate of `system:masters`. */
  readonly admin: KeyPair
  readonly clientAuthorities: readonly string[]
}

export async function buildCertificates(options: ServerChainOptions): Promise<Certificates> {
  const { certificateFiles, namedCertificateFiles = [], certificate, certificates = {} } = options.serving ?? {}
  const { clientAuthorities: givenAuthorities = [], clientAuthorityFiles: authorityFiles = [] } = options.authentication ?? {}
  const pairFromFiles = certificateFiles && (await readPair(certificateFiles))
  const configured = pairFromFiles ?? certificate
  if (configured !== undefined)
    check('the serving certificate and its key', () => createSecureContext({ cert: configured.certificate, key: configured.key }))
  const fromFiles = await readAuthorities(authorityFiles)
  // TLS would silently accept invalid PEM and then reject every client certificate.
  for (const pem of [...givenAuthorities, ...fromFiles]) {
    check('the authorities of client certificates', () => new X509Certificate(pem))
  }
  const { directory, names = [] } = certificates
  const { clusterIpRange } = { ...servicesDefaults, ...options.services }
  const serviceIp = firstServiceIp(clusterIpRange.split(',')[0]!)
  const generated = await ownCertificates({
    store: directory === undefined ? createMemoryCertificateStore() : createDirectoryCertificateStore(directory),
    names: [...names, ...(serviceIp === undefined ? [] : [serviceIp]), bindAddressOf(options.serving), advertiseAddress(options.serving)],
    onNote: (note) => directory !== undefined && logNote(options, directory, note),
  }).catch((error: unknown) => {
    // File system errors already name the directory.
    if ((error as NodeJS.ErrnoException).code !== undefined) throw error
    throw new ConfigurationError(`the certificates in ${directory} cannot be used: ${(error as Error).message}`, { cause: error })
  })
  await warnOfReadableKeys(options)
  const base = configured ?? generated.serving
  const named = await Promise.all(namedCertificateFiles.map(readNamed))
  const fixedAuthorities = [generated.ca.certificate, ...givenAuthorities]
  const hasFiles = pairFromFiles !== undefined || named.length > 0 || fromFiles.length > 0
  const serving = { ...base, named }
  const clientAuthorities = [...fixedAuthorities, ...fromFiles]
  return {
    serving,
    files: hasFiles
      ? new ServingFiles({
          pair: certificateFiles ?? base,
          named: namedCertificateFiles,
          fixedAuthorities,
          authorityFiles,
          current: { ...serving, clientAuthorities },
        })
      : undefined,
    // For a configured certificate, clients trust the certificate itself, because its CA is not known here.
    authority: configured?.certificate ?? generated.ca.certificate,
    admin: generated.admin,
    clientAuthorities,
  }
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
