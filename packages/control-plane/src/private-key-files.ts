import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { ServerChainOptions } from './server-chain-options.ts'

const readableByOthers = 0o004

/** Logs each file with a private key that every user of the machine may read. A group may: that is how secrets are mounted into pods. */
export async function warnOfReadableKeys(options: ServerChainOptions): Promise<void> {
  await Promise.all(
    privateKeyFiles(options).map(async (file) => {
      const stats = await stat(file).catch(() => undefined)
      if (stats === undefined || (stats.mode & readableByOthers) === 0) return
      const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
      options.log?.(0, 'Every user of this machine can read a private key: remove the permission (chmod 600)', { file, mode })
    }),
  )
}

function privateKeyFiles(options: ServerChainOptions): readonly string[] {
  // On Windows files have no such modes.
  if (process.platform === 'win32') return []
  const { certificates, servingCertificateFiles, namedCertificateFiles = [], serviceAccounts, kubelet, storage } = options
  const own = certificates?.directory
  const files = [
    ...(own === undefined ? [] : ['ca.key', 'apiserver.key', 'admin.key', 'sa.key'].map((name) => path.join(own, name))),
    servingCertificateFiles?.keyFile,
    ...namedCertificateFiles.map(({ keyFile }) => keyFile),
    serviceAccounts?.signingKeyFile,
    kubelet?.keyFile,
    storage?.transport?.keyFile,
  ]
  return files.filter((file) => file !== undefined)
}
