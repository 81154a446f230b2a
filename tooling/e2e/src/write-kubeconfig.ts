import { writeFile } from 'node:fs/promises'

export interface KubeconfigUser {
  /** URL of the API server. Its certificate is not verified. */
  readonly url: string
  readonly token: string
}

/** Writes a kubeconfig for a user with a token. Returns the path of the file. */
export async function writeKubeconfig(file: string, { url, token }: KubeconfigUser): Promise<string> {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  }
  await writeFile(file, JSON.stringify(config))
  return file
}
