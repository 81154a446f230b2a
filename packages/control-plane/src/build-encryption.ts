import type { Encryption } from '@keelson/encryption'
import { ConfigurationError } from './configuration-error.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

/** Creates encryption at rest from its configuration file. Returns undefined, and loads no encryption code, if it is not configured. */
export async function buildEncryption({
  storage: { encryption } = {},
  log = () => {},
}: ServerChainOptions): Promise<Encryption | undefined> {
  if (encryption === undefined) return undefined
  const { openEncryption } = await import('@keelson/encryption')
  try {
    return await openEncryption({
      file: encryption.configFile,
      automaticReload: encryption.automaticReload ?? false,
      onError: (error) => log(0, 'Encryption configuration not reloaded; the previous one stays in use', { err: error }),
      onReload: (hash) => log(0, 'Reloaded the encryption configuration', { hash }),
    })
  } catch (error) {
    if ((error as Error).name !== 'EncryptionConfigurationError') throw error
    throw new ConfigurationError((error as Error).message, { cause: error })
  }
}
