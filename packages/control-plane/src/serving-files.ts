import { readFile } from 'node:fs/promises'
import type { KeyPair, NamedCertificate, Server, ServingCertificates } from '@keelson/server'

export interface CertificateFiles {
  readonly certificateFile: string
  readonly keyFile: string
}

export interface NamedCertificateFiles extends CertificateFiles {
  /** Absent: what the certificate itself says. */
  readonly names?: readonly string[]
}

export async function readPair({ certificateFile, keyFile }: CertificateFiles): Promise<KeyPair> {
  const [certificate, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')])
  return { certificate, key }
}

export async function readNamed(files: NamedCertificateFiles): Promise<NamedCertificate> {
  return { ...(await readPair(files)), ...(files.names && { names: files.names }) }
}

export interface ServingFilesOptions {
  /** A pair that is no file never changes. */
  readonly pair: CertificateFiles | KeyPair
  readonly named: readonly NamedCertificateFiles[]
  /** What the server has of them already. */
  readonly current: ServingCertificates
  /** Default 10 s: files of mounted secrets change by a rename far away that no watch of the file sees. */
  readonly intervalMs?: number
}

/** Certificates in files that others renew. */
export class ServingFiles {
  readonly #options: ServingFilesOptions
  #timer: NodeJS.Timeout | undefined
  #seen: string
  #looking = false

  constructor(options: ServingFilesOptions) {
    this.#options = options
    this.#seen = JSON.stringify(options.current)
  }

  /** A pair that does not fit together, as while it is being written, is tried again. */
  follow(server: Pick<Server, 'serveCertificates'>, onError: (text: string) => void): void {
    this.#timer = setInterval(() => {
      void this.#look((certificates) => server.serveCertificates(certificates), onError)
    }, this.#options.intervalMs ?? 10_000).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #look(use: Server['serveCertificates'], onError: (text: string) => void): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      const { pair, named } = this.#options
      const certificates = {
        ...('certificate' in pair ? pair : await readPair(pair)),
        named: await Promise.all(named.map(readNamed)),
      }
      const content = JSON.stringify(certificates)
      if (content === this.#seen) return
      use(certificates)
      this.#seen = content
    } catch (error) {
      onError(`the serving certificates stay as they are: ${(error as Error).message}`)
    } finally {
      this.#looking = false
    }
  }
}
