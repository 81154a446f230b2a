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

export function readAuthorities(files: readonly string[]): Promise<string[]> {
  return Promise.all(files.map((file) => readFile(file, 'utf8')))
}

export interface ServingFilesOptions {
  /** Serving certificate; reloaded only if it is in files. */
  readonly pair: CertificateFiles | KeyPair
  readonly named: readonly NamedCertificateFiles[]
  /** CAs for client certificates that are not in files. */
  readonly fixedAuthorities: readonly string[]
  readonly authorityFiles: readonly string[]
  /** Certificates that the server uses now. */
  readonly current: Certificates
  /** Polling interval. Default 10 s. Polls because file watches miss the symlink changes of mounted secrets. */
  readonly intervalMs?: number
}

/** Reloads certificates from files when they change. */
export class ServingFiles {
  readonly #options: ServingFilesOptions
  #timer: NodeJS.Timeout | undefined
  #lastContent: string
  #isReloading = false

  constructor(options: ServingFilesOptions) {
    this.#options = options
    this.#lastContent = JSON.stringify(options.current)
  }

  /** Starts polling. Retries a certificate and key that do not match, for example because they are being written. */
  follow(server: Pick<Server, 'serveCertificates'>, onError: (text: string) => void): void {
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
      const { pair, named, fixedAuthorities, authorityFiles } = this.#options
      const certificates = {
        ...('certificate' in pair ? pair : await readPair(pair)),
        named: await Promise.all(named.map(readNamed)),
        clientAuthorities: [...fixedAuthorities, ...(await readAuthorities(authorityFiles))],
      }
      const content = JSON.stringify(certificates)
      if (content === this.#lastContent) return
      use(certificates)
      this.#lastContent = content
    } catch (error) {
      onError(`certificate files could not be reloaded; the previous certificates stay in use: ${(error as Error).message}`)
    } finally {
      this.#isReloading = false
    }
  }
}
