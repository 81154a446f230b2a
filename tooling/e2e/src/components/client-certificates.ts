import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** The certificate authority of client certificates in a test cluster. */
export interface ClientAuthority {
  readonly directory: string
  readonly certificate: string
  readonly key: string
}

/** Creates a client certificate authority, and the key pair for service account tokens (`accounts.key`, `accounts.pub`), in a directory. */
export function createClientAuthority(openssl: string, directory: string): ClientAuthority {
  const run = (...args: string[]): void => void execFileSync(openssl, args, { cwd: directory, stdio: 'ignore' })
  run('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '10', '-subj', '/CN=clients', '-keyout', 'ca.key', '-out', 'ca.pem')
  run('genrsa', '-out', 'accounts.key', '2048')
  run('rsa', '-in', 'accounts.key', '-pubout', '-out', 'accounts.pub')
  return { directory, certificate: path.join(directory, 'ca.pem'), key: path.join(directory, 'ca.key') }
}

export interface KubeconfigOptions {
  readonly user: string
  readonly group?: string
  readonly server: string
}

/**
 * Issues a client certificate and writes a kubeconfig that contains it. Returns the path of the kubeconfig. Clients do not verify the
 * server's certificate.
 */
export function writeClientKubeconfig(openssl: string, { directory }: ClientAuthority, { user, group, server }: KubeconfigOptions): string {
  const name = user.replaceAll(':', '-')
  const run = (...args: string[]): void => void execFileSync(openssl, args, { cwd: directory, stdio: 'ignore' })
  const subject = `${group === undefined ? '' : `/O=${group}`}/CN=${user}`
  writeFileSync(path.join(directory, `${name}.ext`), 'extendedKeyUsage=clientAuth\n')
  run('req', '-newkey', 'rsa:2048', '-nodes', '-subj', subject, '-keyout', `${name}.key`, '-out', `${name}.csr`)
  const signed = ['-days', '10', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', `${name}.ext`]
  run('x509', '-req', '-in', `${name}.csr`, ...signed, '-out', `${name}.pem`)
  const encodeFile = (file: string): string => readFileSync(path.join(directory, file)).toString('base64')
  const file = path.join(directory, `${name}.kubeconfig`)
  writeFileSync(
    file,
    `apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: "${server}", insecure-skip-tls-verify: true}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {client-certificate-data: ${encodeFile(`${name}.pem`)}, client-key-data: ${encodeFile(`${name}.key`)}}}]
`,
  )
  return file
}
