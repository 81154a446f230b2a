import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { KeyPair } from './create-certificate.ts'
import { writeFileAtomically } from '../write-file.ts'

/** Storage for key pairs. A directory store writes each pair as NAME.crt and NAME.key. */
export interface CertificateStore {
  /** Returns the stored parts of a key pair. The object is empty if none are stored. */
  load(name: string): Promise<Partial<KeyPair>>
  save(name: string, pair: KeyPair): Promise<void>
  /**
   * Results of reading and checking key pairs, for stores that nothing else changes. Reading and checking takes milliseconds, so servers that share
   * a store do it only once, also if they start at the same time.
   */
  readonly checked?: Map<string, CheckedResult>
}

/** The result of a check that was valid between two times. */
export interface CheckedResult {
  readonly result: Promise<unknown>
  readonly from: number
  readonly until: number
}

export function createDirectoryCertificateStore(directory: string): CertificateStore {
  const locateFile = (name: string): string => path.join(directory, name)
  return {
    load: async (name) => {
      const [certificate, key] = await Promise.all([readIfPresent(locateFile(`${name}.crt`)), readIfPresent(locateFile(`${name}.key`))])
      return { ...(certificate !== undefined && { certificate }), ...(key !== undefined && { key }) }
    },
    save: async (name, { certificate, key }) => {
      await writeFileAtomically(locateFile(`${name}.key`), key, 0o600)
      await writeFileAtomically(locateFile(`${name}.crt`), certificate, 0o644)
    },
  }
}

/** Creates a store that keeps key pairs in memory only. */
export function createMemoryCertificateStore(): CertificateStore {
  const pairs = new Map<string, KeyPair>()
  return {
    load: async (name) => pairs.get(name) ?? {},
    save: async (name, pair) => void pairs.set(name, pair),
    checked: new Map(),
  }
}

export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
