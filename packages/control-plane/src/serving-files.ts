import { readFile } from 'node:fs/promises'
import type { KeyPair, NamedCertificate, Server } from '@keelson/server'

type Certificates = Parameters<Server['serveCertificates']>[0]

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

export function readAuthorities(files: readonly string[]): Promise<string[]> {
  return Promise.all(files.map((file) => readFile(file, 'utf8')))
}

export interface ServingFilesOptions {
  /** A pair that is no file never changes. */
  readonly pair: CertificateFiles | KeyPair
  readonly named: readonly NamedCertificateFiles[]
  /** Authorities of client certificates that are no files. */
  readonly fixedAuthorities: readonly string[]
  readonly authorityFiles: readonly string[]
  /** What the server has of all these already. */
  readonly current: Certificates
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
      const { pair, named, fixedAuthorities, authorityFiles } = this.#options
      const certificates = {
        ...('certificate' in pair ? pair : await readPair(pair)),
        named: await Promise.all(named.map(readNamed)),
        clientAuthorities: [...fixedAuthorities, ...(await readAuthorities(authorityFiles))],
      }
      const content = JSON.stringify(certificates)
      if (content === this.#seen) return
      use(certificates)
      this.#seen = content
    } catch (error) {
      onError(`the certificates and client authorities in files stay as they were read before: ${(error as Error).message}`)
    } finally {
      this.#looking = false
    }
  }
}
