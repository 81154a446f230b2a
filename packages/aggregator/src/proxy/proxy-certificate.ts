import { createSecureContext } from 'node:tls'
import type { Clock } from '@keelson/apimachinery'

/** A client certificate and its key, in PEM. */
export interface CertificatePair {
  readonly certificate: string
  readonly key: string
}

export interface ProxyCertificateOptions {
  /** Reads the certificate and its key. Absent: requests are sent without a client certificate. */
  readonly read: (() => Promise<CertificatePair>) | undefined
  readonly clock: Pick<Clock, 'now'>
  /** Called with the reason if the changed files cannot be used. */
  readonly onError: (text: string) => void
}

/** Minimum time between two reads of the files, in milliseconds. */
const rereadMs = 10_000

/**
 * The client certificate with which the aggregator identifies itself to other servers. It is read again while it is in use. If the files cannot
 * be read or do not match, the previous certificate stays in use.
 */
export class ProxyCertificate {
  readonly #options: ProxyCertificateOptions
  #pair: CertificatePair | undefined
  #lastRead = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(options: ProxyCertificateOptions) {
    this.#options = options
  }

  /** Returns the certificate. An unchanged certificate is the same value. Waits for the first read only. */
  get(): CertificatePair | undefined | Promise<CertificatePair | undefined> {
    const { read, clock } = this.#options
    if (read === undefined) return undefined
    const now = clock.now()
    if (this.#reading === undefined && Math.abs(now - this.#lastRead) >= rereadMs) {
      this.#lastRead = now
      this.#reading = this.#readAgain(read).finally(() => (this.#reading = undefined))
    }
    return this.#pair ?? this.#reading?.then(() => this.#pair)
  }

  async #readAgain(read: () => Promise<CertificatePair>): Promise<void> {
    try {
      const pair = await read()
      if (pair.certificate === this.#pair?.certificate && pair.key === this.#pair.key) return
      createSecureContext({ cert: pair.certificate, key: pair.key })
      this.#pair = pair
    } catch (error) {
      this.#options.onError(`the client certificate for other API servers could not be read: ${(error as Error).message}`)
    }
  }
}
