import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { createDirectoryCertificateStore, createMemoryCertificateStore, firstServiceIp, ownCertificates } from '@keelson/server'
import type { KeyPair, ServingCertificates } from '@keelson/server'
import { advertiseAddress } from './addresses.ts'
import { ConfigurationError } from './configuration-error.ts'
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
  })
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

function check(what: string, use: () => unknown): void {
  try {
    use()
  } catch (error) {
    throw new ConfigurationError(`${what} cannot be used: ${(error as Error).message}`, { cause: error })
  }
}
