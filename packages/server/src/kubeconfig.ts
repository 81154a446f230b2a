import { writeFileAtomically } from './write-file.ts'

export interface KubeconfigOptions {
  readonly server: string
  /** CA certificate in PEM that clients must trust. */
  readonly certificateAuthority: string
  readonly user: { readonly certificate: string; readonly key: string } | { readonly token: string }
  /** Name of the cluster and of the context. Default: "keelson". */
  readonly name?: string
  /** Name of the user. Default: `name`, followed by "-admin". */
  readonly userName?: string
}

/** Returns a kubeconfig with one cluster, one user and one context, in kubectl's format. */
export function createKubeconfig({
  server,
  certificateAuthority,
  user,
  name = 'keelson',
  userName = `${name}-admin`,
}: KubeconfigOptions): string {
  const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64')
  const quoted = /^[A-Za-z][\w.@-]*$/.test(userName) ? userName : JSON.stringify(userName)
  const credential =
    'token' in user
      ? [`    token: ${JSON.stringify(user.token)}`]
      : [`    client-certificate-data: ${encodeBase64(user.certificate)}`, `    client-key-data: ${encodeBase64(user.key)}`]
  return [
    'apiVersion: v1',
    'clusters:',
    '- cluster:',
    `    certificate-authority-data: ${encodeBase64(certificateAuthority)}`,
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

/** Writes a kubeconfig file. Only its owner can read it, because it gives administrator access. */
export async function writeKubeconfig(file: string, content: string): Promise<void> {
  await writeFileAtomically(file, content, 0o600)
}
