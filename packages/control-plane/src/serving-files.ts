import { readFile } from 'node:fs/promises'
import type { KeyPair, NamedCertificate, Server } from '@keelson/server'

type Certificates = Parameters<Server['serveCertificates']>[0]

export interface CertificateFiles {
  readonly certificateFile: string
  readonly keyFile: string
}

export interface NamedCertificateFiles extends CertificateFiles {
  /** Server names. Default: the names in the certificate. */
  readonly names?: readonly string[]
}

export async function readPair({ certificateFile, keyFile }: CertificateFiles): Promise<KeyPair> {
  const [certificate, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')])
  return { certificate, key }
}

export async function readNamed(files: NamedCertificateFiles): Promise<NamedCertificate> {
  return { ...(await readPair(files)), ...(files.names && { names: files.names }) }
}

export async function readAuthorities({ fixed, files }: AuthoritySources): Promise<string[]> {
  return [...fixed, ...(await Promise.all(files.map((file) => readFile(file, 'utf8'))))]
}

/** CAs in PEM. */
export interface AuthoritySources {
  readonly fixed: readonly string[]
  readonly files: readonly string[]
}

type FollowedCertificates = Certificates & Required<Pick<Certificates, 'clientAuthorities' | 'frontProxyAuthorities'>>

export interface ServingFilesOptions {
  /** Serving certificate; reloaded only if it is in files. */
  readonly pair: CertificateFiles | KeyPair
  readonly named: readonly NamedCertificateFiles[]
  readonly authorities: AuthoritySources
  readonly frontProxies: AuthoritySources
  /** Certificates that the server uses now. */
  readonly current: FollowedCertificates
  /** Polling interval. Default 10 s. Polls because file watches miss the symlink changes of mounted secrets. */
  readonly intervalMs?: number
}

/** Reloads certificates from files when they change. */
export class ServingFiles {
  readonly #options: ServingFilesOptions
  readonly #listeners = new Set<() => void>()
  #current: FollowedCertificates
  #timer: NodeJS.Timeout | undefined
  #lastContent: string
  #isReloading = false

  constructor(options: ServingFilesOptions) {
    this.#options = options
    this.#current = options.current
    this.#lastContent = JSON.stringify(options.current)
  }

  /** Certificates that the server uses now. */
  get current(): FollowedCertificates {
    return this.#current
  }

  /** Calls `listener` after each change. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** Starts polling, if any certificate is in a file. Retries a certificate and key that do not match, for example because they are being written. */
  follow(server: Pick<Server, 'serveCertificates'>, onError: (text: string) => void): void {
    const { pair, named, authorities, frontProxies } = this.#options
    if ('certificate' in pair && named.length + authorities.files.length + frontProxies.files.length === 0) return
    this.#timer = setInterval(() => {
      void this.#reload((certificates) => server.serveCertificates(certificates), onError)
    }, this.#options.intervalMs ?? 10_000).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #reload(use: Server['serveCertificates'], onError: (text: string) => void): Promise<void> {
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
    }
  }
}
