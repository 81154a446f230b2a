import { execFile } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/** Writes tls.crt and tls.key of a new self-signed certificate to a directory. Returns the certificate. */
export async function issueCertificate(openssl: string, directory: string, subjectAltName = 'IP:127.0.0.1'): Promise<string> {
  await mkdir(directory, { recursive: true })
  const [key, certificate] = ['tls.key', 'tls.crt'].map((name) => path.join(directory, name))
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=webhook'.split(' ')
  await promisify(execFile)(openssl, [...request, '-addext', `subjectAltName=${subjectAltName}`, '-keyout', key!, '-out', certificate!])
  return readFile(certificate!, 'utf8')
}
