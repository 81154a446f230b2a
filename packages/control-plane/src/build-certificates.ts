import { X509Certificate } from 'node:crypto'
import path from 'node:path'
import { createSecureContext } from 'node:tls'
import { createDirectoryCertificateStore, createMemoryCertificateStore, firstServiceIp, ownCertificates } from '@keelson/server'
import type { CertificateNote, KeyPair, ServingCertificates } from '@keelson/server'
import { advertiseAddress } from './addresses.ts'
import { ConfigurationError } from './configuration-error.ts'
import { warnOfReadableKeys } from './private-key-files.ts'
import { readAuthorities, readNamed, readPair, ServingFiles } from './serving-files.ts'
import type { ServerChainOptions } from './server-chain-options.ts'

export interface Certificates {
  readonly serving: ServingCertificates
  /** What is served from files and may change. */
  readonly files: ServingFiles | undefined
  /** What a client must trust to reach the server. */
  readonly authority: string
  /** A client certificate of `system:masters`. */
  readonly admin: KeyPair
  readonly clientAuthorities: readonly string[]
}

export async function buildCertificates(options: ServerChainOptions): Promise<Certificates> {
  const { servingCertificateFiles, namedCertificateFiles = [] } = options
  const read = servingCertificateFiles && (await readPair(servingCertificateFiles))
  const given = read ?? options.servingCertificate
  if (given !== undefined)
    check('the serving certificate and its key', () => createSecureContext({ cert: given.certificate, key: given.key }))
  const fromFiles = await readAuthorities(options.clientAuthorityFiles ?? [])
  // Junk would be taken without a word, and nobody's certificate would be accepted.
  for (const pem of [...(options.clientAuthorities ?? []), ...fromFiles]) {
    check('the authorities of client certificates', () => new X509Certificate(pem))
  }
  const { directory, names = [] } = options.certificates ?? {}
  const serviceIp = firstServiceIp((options.serviceClusterIpRange ?? '10.0.0.0/24').split(',')[0]!)
  const own = await ownCertificates({
    store: directory === undefined ? createMemoryCertificateStore() : createDirectoryCertificateStore(directory),
    names: [...names, ...(serviceIp === undefined ? [] : [serviceIp]), options.bindAddress ?? '127.0.0.1', advertiseAddress(options)],
    onNote: (note) => directory !== undefined && logNote(options, directory, note),
  }).catch((error: unknown) => {
    // A directory that cannot be read or written says so itself.
    if ((error as NodeJS.ErrnoException).code !== undefined) throw error
    throw new ConfigurationError(`the certificates in ${directory} cannot be used: ${(error as Error).message}`, { cause: error })
  })
  await warnOfReadableKeys(options)
  const base = given ?? own.serving
  const named = await Promise.all(namedCertificateFiles.map(readNamed))
  const fixedAuthorities = [own.ca.certificate, ...(options.clientAuthorities ?? [])]
  const followed = read !== undefined || named.length > 0 || fromFiles.length > 0
  const serving = { ...base, named }
  const clientAuthorities = [...fixedAuthorities, ...fromFiles]
  return {
    serving,
    files: followed
      ? new ServingFiles({
          pair: servingCertificateFiles ?? base,
          named: namedCertificateFiles,
          fixedAuthorities,
          authorityFiles: options.clientAuthorityFiles ?? [],
          current: { ...serving, clientAuthorities },
        })
      : undefined,
    // A certificate that was given is trusted as it is: its authority is not known here.
    authority: given?.certificate ?? own.ca.certificate,
    admin: own.admin,
    clientAuthorities,
  }
}

function logNote({ log }: ServerChainOptions, directory: string, { kind, name, reason, notBefore, notAfter }: CertificateNote): void {
  const fields = { file: path.join(directory, `${name}.crt`), reason, notBefore: notBefore.toISOString(), notAfter: notAfter.toISOString() }
  if (kind === 'not yet valid') log?.(0, 'The certificate authority is not valid yet: check the clock', { ...fields, reason: undefined })
  else log?.(0, kind === 'made' ? 'Made a certificate' : 'Renewed a certificate', fields)
}

function check(what: string, use: () => unknown): void {
  try {
    use()
  } catch (error) {
    throw new ConfigurationError(`${what} cannot be used: ${(error as Error).message}`, { cause: error })
  }
}
