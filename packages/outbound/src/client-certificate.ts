import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parsePemBlocks, systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { formatOpenError } from './open-error.ts'

/** A client certificate with its key, in PEM. */
export interface ClientCertificate {
  readonly certificate: string
  readonly key: string
}

/** Throws the error of Go's `tls.X509KeyPair` if the certificate and the key cannot be used together. */
export function checkPair({ certificate, key }: ClientCertificate): void {
  if (!hasCertificate(certificate)) throw new Error('tls: failed to find any PEM data in certificate input')
  const isKey = parsePemBlocks(key).some(({ label }) => label.endsWith('PRIVATE KEY'))
  if (!isKey) throw new Error('tls: failed to find any PEM data in key input')
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    throw new Error('tls: private key does not match public key')
}

export function hasCertificate(pem: string): boolean {
  return parsePemBlocks(pem).some(({ label }) => label === 'CERTIFICATE')
}

export interface CertificateFiles {
  readonly certificateFile: string
  readonly keyFile: string
}

/** Reads a certificate and its key. Rejects with Go's error if a file cannot be read or the pair cannot be used. */
export async function readPair({ certificateFile, keyFile }: CertificateFiles): Promise<ClientCertificate> {
  const pair = { certificate: await readText(certificateFile), key: await readText(keyFile) }
  checkPair(pair)
  return pair
}

/** Interval in milliseconds at which files of a client certificate are read again, as in client-go. */
const refreshIntervalMs = 300_000

/**
 * Returns a function that returns the certificate in files. It reads the files again after some time. While they cannot be used, it returns the
 * last pair.
 */
export function followPair(
  files: CertificateFiles,
  first: ClientCertificate,
  clock: Clock = systemClock,
): () => Promise<ClientCertificate> {
  let current = first
  let readAt = clock.now()
  return async () => {
    if (clock.now() - readAt < refreshIntervalMs) return current
    readAt = clock.now()
    const pair = await readPair(files).catch(() => current)
    if (pair.certificate !== current.certificate || pair.key !== current.key) current = pair
    return current
  }
}

export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Error(formatOpenError(file, error), { cause: error })
  }
}
