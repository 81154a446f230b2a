import { createDirectoryCertificateStore, createKubeconfig, signClientCertificate } from '@keelson/server'

export interface UserKubeconfigOptions {
  /** Directory of the certificates that the server has generated. */
  readonly certificateDirectory: string
  /** URL of the server. */
  readonly server: string
  /** CA certificate in PEM that clients must trust. Default: the CA that the server has generated. */
  readonly certificateAuthority?: string
  readonly user: { readonly name: string; readonly groups?: readonly string[]; readonly uid?: string }
  readonly lifetimeMs: number
}

/**
 * Signs a client certificate for a user and returns a kubeconfig that contains it. The server may be running meanwhile. Throws if the CA of
 * the server cannot be used.
 */
export async function createUserKubeconfig(options: UserKubeconfigOptions): Promise<string> {
  const { certificateDirectory, server, certificateAuthority, user, lifetimeMs } = options
  const { name, groups = [], uid } = user
  const { authority, ...pair } = await signClientCertificate({
    store: createDirectoryCertificateStore(certificateDirectory),
    subject: { commonName: name, organizations: groups, ...(uid !== undefined && { uid }) },
    lifetimeMs,
  })
  return createKubeconfig({ server, certificateAuthority: certificateAuthority ?? authority, user: pair, userName: name })
}
