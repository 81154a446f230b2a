import { writeFileAtomically } from './write-file.ts'

export interface KubeconfigOptions {
  readonly server: string
  /** The authority that signed the serving certificate, in PEM. */
  readonly certificateAuthority: string
  readonly user: { readonly certificate: string; readonly key: string } | { readonly token: string }
  /** Names the cluster and the context. Default "keelson". */
  readonly name?: string
  /** Names the user. Default: `name`, followed by "-admin". */
  readonly userName?: string
}

/** Returns a kubeconfig with one cluster, one user and one context, in kubectl's format. */
export function kubeconfig({
  server,
  certificateAuthority,
  user,
  name = 'keelson',
  userName = `${name}-admin`,
}: KubeconfigOptions): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const quoted = /^[A-Za-z][\w.@-]*$/.test(userName) ? userName : JSON.stringify(userName)
  const credential =
    'token' in user
      ? [`    token: ${JSON.stringify(user.token)}`]
      : [`    client-certificate-data: ${base64(user.certificate)}`, `    client-key-data: ${base64(user.key)}`]
  return [
    'apiVersion: v1',
    'clusters:',
    '- cluster:',
    `    certificate-authority-data: ${base64(certificateAuthority)}`,
    `    server: ${server}`,
    `  name: ${name}`,
    'contexts:',
    '- context:',
    `    cluster: ${name}`,
    `    user: ${quoted}`,
    `  name: ${name}`,
    `current-context: ${name}`,
    'kind: Config',
    'preferences: {}',
    'users:',
    `- name: ${quoted}`,
    '  user:',
    ...credential,
    '',
  ].join('\n')
}

/** Writes the file, readable only for its owner, because it gives administrator access. */
export async function writeKubeconfig(file: string, content: string): Promise<void> {
  await writeFileAtomically(file, content, 0o600)
}
