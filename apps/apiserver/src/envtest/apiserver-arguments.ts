import { existsSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { dataDirectoryPath, readFlag } from './etcd-program.ts'

/**
 * Converts the command line that envtest has for kube-apiserver. If `--etcd-servers` is our stand-in, the server stores its objects in the stand-in's data
 * directory, so they outlive a restart of the server as they would in etcd. A real etcd is used as it is. The certificate that envtest has put into
 * `--cert-dir` is used and never replaced, because clients trust it.
 */
export async function createServerArguments(argv: readonly string[]): Promise<readonly string[]> {
  const etcdServers = readFlag(argv, 'etcd-servers')
  const directory = etcdServers === undefined ? undefined : await readDataDirectory(etcdServers)
  const converted = directory === undefined ? argv : useStore(argv, path.join(directory, 'keelson'))
  const certificates = readFlag(argv, 'cert-dir')
  return certificates === undefined || readFlag(argv, 'tls-cert-file') !== undefined ? converted : useCertificate(converted, certificates)
}

function useStore(argv: readonly string[], directory: string): readonly string[] {
  return [...withoutFlag(argv, 'etcd-servers'), `--data-dir=${directory}`, '--storage-backend=embedded', '--durability=memory']
}

function useCertificate(argv: readonly string[], directory: string): readonly string[] {
  const [certificate, key] = [path.join(directory, 'apiserver.crt'), path.join(directory, 'apiserver.key')]
  if (!existsSync(certificate) || !existsSync(key)) return argv
  const flags = [`--cert-dir=${path.join(directory, 'keelson')}`, `--tls-cert-file=${certificate}`, `--tls-private-key-file=${key}`]
  return [...withoutFlag(argv, 'cert-dir'), ...flags]
}

/** Asks a server for its data directory. Returns undefined if it is a real etcd. */
function readDataDirectory(etcdServers: string): Promise<string | undefined> {
  const [first = ''] = etcdServers.split(',')
  if (!first.startsWith('http://')) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const asking = request(new URL(dataDirectoryPath, first), { agent: false, timeout: 5000 }, (response) => {
      response.toArray().then(
        (chunks) => resolve(response.statusCode === 200 ? parseDirectory(Buffer.concat(chunks).toString()) : undefined),
        () => resolve(undefined),
      )
    })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(undefined))
    asking.end()
  })
}

function parseDirectory(text: string): string | undefined {
  try {
    const { directory } = JSON.parse(text) as { readonly directory?: unknown }
    return typeof directory === 'string' ? directory : undefined
  } catch {
    return undefined
  }
}

function withoutFlag(argv: readonly string[], name: string): readonly string[] {
  return argv.filter((argument, i) => {
    const isFlag = (text?: string): boolean => text === `-${name}` || text === `--${name}`
    return !isFlag(argument) && !isFlag(argument.split('=')[0]) && !isFlag(argv[i - 1])
  })
}
