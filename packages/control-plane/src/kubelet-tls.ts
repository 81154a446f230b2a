import { readFile, stat } from 'node:fs/promises'
import type { KubeletOptions } from '@keelson/core-services'
import type { RemoteTls } from '@keelson/registry'
import { ConfigurationError } from './configuration-error.ts'

/** Files, PEM. */
export interface KubeletClientOptions extends Omit<KubeletOptions, 'tls'> {
  /** Who may have signed kubelets' certificates. Absent: whatever a kubelet shows is believed. */
  readonly authorityFile?: string
  /** What this server shows to kubelets. Absent: nothing, and most will refuse it. */
  readonly certificateFile?: string
  readonly keyFile?: string
}

/** How kubelets are believed and shown who asks. Renewed files count from the next connection on. Throws `ConfigurationError`. */
export async function kubeletTls({ authorityFile, certificateFile, keyFile }: KubeletClientOptions): Promise<() => Promise<RemoteTls>> {
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    throw new ConfigurationError('the certificate and the key for kubelets go together: one of them is missing')
  }
  const files = { authority: authorityFile, certificate: certificateFile, key: keyFile }
  const wanted = Object.entries(files).flatMap(([name, file]) => (file === undefined ? [] : [{ name, read: rereadFile(file) }]))
  const tls = async (): Promise<RemoteTls> => ({
    verify: authorityFile !== undefined,
    ...Object.fromEntries(await Promise.all(wanted.map(async ({ name, read }) => [name, await read()] as const))),
  })
  try {
    await tls()
  } catch (error) {
    throw new ConfigurationError(`a file for connections to kubelets cannot be read: ${(error as Error).message}`, { cause: error })
  }
  return tls
}

function rereadFile(file: string): () => Promise<string> {
  let known: { readonly version: string; readonly text: string } | undefined
  return async () => {
    const { mtimeMs, size, ino } = await stat(file)
    const version = `${mtimeMs} ${size} ${ino}`
    if (known?.version !== version) known = { version, text: await readFile(file, 'utf8') }
    return known.text
  }
}
