import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { joinHostAndPort } from './failure.ts'
import { checkAuthorities, createCredentialHeaders } from './kubeconfig.ts'
import type { KubeconfigClient } from './kubeconfig.ts'

export interface InClusterOptions {
  readonly clock?: Clock
  /** Environment variables. Default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Directory with the token and the CA of the service account. Default: where kubelets mount them. */
  readonly directory?: string
}

const mountedDirectory = '/var/run/secrets/kubernetes.io/serviceaccount'

/**
 * Reads the configuration that a pod gets: the address of the API server from the environment, and the token of its service account. Throws
 * client-go's error outside of a pod. If the CA cannot be read, the root certificates of the JavaScript runtime are trusted, as in client-go.
 */
export async function readInClusterConfig(options: InClusterOptions = {}): Promise<KubeconfigClient> {
  const { clock = systemClock, environment = process.env, directory = mountedDirectory } = options
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = environment
  if (host === '' || port === '') {
    const names = 'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT'
    throw new Error(`unable to load in-cluster configuration, ${names} must be defined`)
  }
  const tokenFile = path.join(directory, 'token')
  await readFile(tokenFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'no such file or directory' : error.message
    throw new Error(`open ${tokenFile}: ${reason}`, { cause: error })
  })
  const authorities = await readFile(path.join(directory, 'ca.crt'), 'utf8').catch(() => '')
  if (authorities !== '') checkAuthorities(authorities)
  return {
    url: `https://${joinHostAndPort({ host, port: Number(port) })}`,
    tls: authorities === '' ? {} : { authorities },
    headers: createCredentialHeaders({ token: '', username: '', password: '', impersonation: {} }, { tokenFile, clock }),
  }
}
