import { readFile, stat } from 'node:fs/promises'
import type { RemoteTls } from '@keelson/registry'
import { ConfigurationError } from './configuration-error.ts'
import type { KubeletClientOptions } from './options/kubelet.ts'

/**
 * Loads the CAs and the client certificate for connections to kubelets. Files that changed are read again for new connections. Throws
 * `ConfigurationError` for files that cannot be used.
 */
export async function readKubeletTls({ authorityFile, certificateFile, keyFile }: KubeletClientOptions): Promise<() => Promise<RemoteTls>> {
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    throw new ConfigurationError('the client certificate and the key for kubelets must be set together; one of them is missing')
  }
  const files = { authority: authorityFile, certificate: certificateFile, key: keyFile }
  const readers = Object.entries(files).flatMap(([name, file]) => (file === undefined ? [] : [{ name, read: createFileReader(file) }]))
  const readTls = async (): Promise<RemoteTls> => ({
    verify: authorityFile !== undefined,
    ...Object.fromEntries(await Promise.all(readers.map(async ({ name, read }) => [name, await read()] as const))),
  })
  try {
    await readTls()
  } catch (error) {
    throw new ConfigurationError(`a file for connections to kubelets cannot be read: ${(error as Error).message}`, { cause: error })
  }
  return readTls
}

/** Returns a function that returns the text of a file. The function reads the file again only if it has changed. */
export function createFileReader(file: string): () => Promise<string> {
  let cached: { readonly version: string; readonly text: string } | undefined
  return async () => {
    const { mtimeMs, size, ino } = await stat(file)
    const version = `${mtimeMs} ${size} ${ino}`
    if (cached?.version !== version) cached = { version, text: await readFile(file, 'utf8') }
    return cached.text
  }
}
