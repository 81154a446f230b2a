import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export interface IssuedCertificates {
  /** Returns the path of a file "NAME.pem" or "NAME.key". */
  getPath(name: string): string
  readText(name: string): string
}

/** Creates a certificate authority (`ca`) and issues certificates by name for the given addresses. Needs openssl. */
export function issueCertificates(openssl: string, directory: string, names: Readonly<Record<string, string>>): IssuedCertificates {
  const run = (...args: string[]): void => void execFileSync(openssl, args, { cwd: directory, stdio: 'ignore' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  run('req', '-x509', ...newKey, '-subj', '/CN=authority', '-keyout', 'ca.key', '-out', 'ca.pem')
  for (const [name, subjectAltName] of Object.entries(names)) {
    writeFileSync(path.join(directory, 'extensions'), `subjectAltName=${subjectAltName}\nextendedKeyUsage=serverAuth,clientAuth\n`)
    run('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`)
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'extensions']
    run('x509', '-req', '-in', `${name}.csr`, ...signed, '-out', `${name}.pem`)
  }
  const locateFile = (name: string): string => path.join(directory, name)
  return { getPath: locateFile, readText: (name) => readFileSync(locateFile(name), 'utf8') }
}
