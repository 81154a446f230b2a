import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { ServerChainOptions } from './options/server-chain-options.ts'

/** Names of the private key files that the server generates. */
const keysInDirectory = ['ca.key', 'apiserver.key', 'admin.key', 'front-proxy-ca.key', 'front-proxy-client.key', 'sa.key']
const readableByOthers = 0o004

/**
 * Logs a warning for each private key file that all users of the machine can read. Files that only a group can read are accepted, because
 * pods mount secrets that way.
 */
export async function warnOfReadableKeys(options: ServerChainOptions): Promise<void> {
  await Promise.all(
    listPrivateKeyFiles(options).map(async (file) => {
      const stats = await stat(file).catch(() => undefined)
      if (stats === undefined || (stats.mode & readableByOthers) === 0) return
      const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
      options.log?.(0, 'A private key is readable by all users: restrict its permissions (chmod 600)', { file, mode })
    }),
  )
}

function listPrivateKeyFiles(options: ServerChainOptions): readonly string[] {
  // Windows does not have Unix file modes.
  if (process.platform === 'win32') return []
  const { serving: { certificates, certificateFiles, namedCertificateFiles = [] } = {}, authentication, kubelet, storage } = options
  const directory = certificates?.directory
  const files = [
    ...(directory === undefined ? [] : keysInDirectory.map((name) => path.join(directory, name))),
    certificateFiles?.keyFile,
    ...namedCertificateFiles.map(({ keyFile }) => keyFile),
    authentication?.serviceAccounts?.signingKeyFile,
    authentication?.proxyClientFiles?.keyFile,
    kubelet?.keyFile,
    storage?.transport?.keyFile,
  ]
  return files.filter((file) => file !== undefined)
}
