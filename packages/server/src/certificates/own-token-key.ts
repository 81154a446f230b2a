import { generateKeyPair } from 'node:crypto'
import path from 'node:path'
import { promisify } from 'node:util'
import { readIfPresent } from './certificate-store.ts'
import { writeFileAtomically } from '../write-file.ts'

/**
 * Returns the private key in PEM that signs service account tokens. Reuses the key in the directory. If there is no directory, generates a
 * new key at each start. Calls `onMade` after it has generated and stored a key.
 */
export async function ownTokenKey(directory: string | undefined, onMade: (file: string) => void = () => {}): Promise<string> {
  const file = directory === undefined ? undefined : path.join(directory, 'sa.key')
  const storedKey = file === undefined ? undefined : await readIfPresent(file)
  if (storedKey !== undefined) return storedKey
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  if (file !== undefined) {
    await writeFileAtomically(file, pem, 0o600)
    onMade(file)
  }
  return pem
}
