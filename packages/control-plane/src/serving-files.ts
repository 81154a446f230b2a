import { readFile } from 'node:fs/promises'
import type { KeyPair, NamedCertificate, Server } from '@keelson/server'

type Certificates = Parameters<Server['serveCertificates']>[0]

export interface CertificateFiles {
  readonly certificateFile: string
  readonly keyFile: string
}

export interface NamedCertificateFiles extends CertificateFiles {
  /** Server names (SNI) that the certificate serves. Default: the names in the certificate. */
  readonly names?: readonly string[]
}

export async function readPair({ certificateFile, keyFile }: CertificateFiles): Promise<KeyPair> {
  const [certificate, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')])
  return { certificate, key }
}

export async function readNamed(files: NamedCertificateFiles): Promise<NamedCertificate> {
  return { ...(await readPair(files)), ...(files.names && { names: files.names }) }
}

export async function readAuthorities({ fixed, files, getPublished }: AuthoritySources): Promise<string[]> {
  return [...fixed, ...(await Promise.all(files.map((file) => readFile(file, 'utf8')))), ...[getPublished?.() ?? []].flat()]
}

/** Sources of CAs: fixed PEM texts, PEM files, and a PEM text that another server publishes. */
export interface AuthoritySources {
  readonly fixed: readonly string[]
  readonly files: readonly string[]
  /** Returns the published CAs. Undefined if there are none now. */
  readonly getPublished?: () => string | undefined
}

type FollowedCertificates = Certificates & Required<Pick<Certificates, 'clientAuthorities' | 'frontProxyAuthorities'>>

export interface ServingFilesOptions {
  /** Serving certificate and key. Reloaded on changes if they come from files. */
  readonly pair: CertificateFiles | KeyPair
  readonly named: readonly NamedCertificateFiles[]
  readonly authorities: AuthoritySources
  readonly frontProxies: AuthoritySources
  /** Certificates that the server uses when it starts. */
  readonly current: FollowedCertificates
  /** Polling interval in milliseconds. Default: 10 s. Files are polled, because file watches miss symlink changes in mounted secrets. */
  readonly intervalMs?: number
  /** Calls the listener after each change of published CAs. */
  readonly onPublished?: (listener: () => void) => void
}

/** Reloads certificates from files when they change. */
export class ServingFiles {
  readonly #options: ServingFilesOptions
  readonly #listeners = new Set<() => void>()
  #current: FollowedCertificates
  #timer: NodeJS.Timeout | undefined
  #lastContent: string
  #isReloading = false
  /** True if published CAs changed during a reload. */
  #isStale = false
  #isClosed = false

  constructor(options: ServingFilesOptions) {
    this.#options = options
    this.#current = options.current
    this.#lastContent = JSON.stringify(options.current)
  }

  /** Returns the certificates that the server uses now. */
  get current(): FollowedCertificates {
    return this.#current
  }

  /** Calls `listener` after each change of the certificates. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /**
   * Starts polling if at least one certificate comes from a file. If a certificate and its key do not match, retries later, because the
   * files may be partly written.
   */
  follow(server: Pick<Server, 'serveCertificates'>, onError: (text: string) => void): void {
    const { pair, named, authorities, frontProxies, onPublished } = this.#options
    const reload = (): void => {
      if (!this.#isClosed) void this.#reload((certificates) => server.serveCertificates(certificates), onError)
    }
    onPublished?.(reload)
    // The published CAs may have changed since they were read.
    if (onPublished !== undefined) reload()
    if ('certificate' in pair && named.length + authorities.files.length + frontProxies.files.length === 0) return
    this.#timer = setInterval(reload, this.#options.intervalMs ?? 10_000).unref()
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
  }

  async #reload(use: Server['serveCertificates'], onError: (text: string) => void): Promise<void> {
    this.#isStale = this.#isReloading
    if (this.#isReloading) return
    this.#isReloading = true
    try {
      const { pair, named, authorities, frontProxies } = this.#options
      const certificates = {
        ...('certificate' in pair ? pair : await readPair(pair)),
        named: await Promise.all(named.map(readNamed)),
        clientAuthorities: await readAuthorities(authorities),
        frontProxyAuthorities: await readAuthorities(frontProxies),
      }
      const content = JSON.stringify(certificates)
      if (content === this.#lastContent) return
      use(certificates)
      this.#lastContent = content
      this.#current = certificates
      for (const listener of this.#listeners) listener()
    } catch (error) {
      onError(`certificate files could not be reloaded; the previous certificates stay in use: ${(error as Error).message}`)
    } finally {
      this.#isReloading = false
      if (this.#isStale && !this.#isClosed) void this.#reload(use, onError)
    }
  }
}
