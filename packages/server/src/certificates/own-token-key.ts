import { generateKeyPair } from 'node:crypto'
import path from 'node:path'
import { promisify } from 'node:util'
import { readIfPresent } from './certificate-store.ts'
import type { CertificateStore } from './certificate-store.ts'
import { writeFileAtomically } from '../write-file.ts'

/**
 * Returns the private key in PEM that signs service account tokens. Reuses the key in the directory or in the store. Without both, generates a
 * new key at each start. Calls `onMade` after it has generated a key and written it to a file.
 */
export function openOwnTokenKey(place: string | CertificateStore | undefined, onMade: (file: string) => void = () => {}): Promise<string> {
  const store = typeof place === 'object' ? place : undefined
  const { checked } = store ?? {}
  const earlier = checked?.get('sa')
  if (earlier !== undefined) return earlier.result as Promise<string>
  const result = loadTokenKey(store, typeof place === 'string' ? path.join(place, 'sa.key') : undefined, onMade)
  checked?.set('sa', { result, from: -Infinity, until: Infinity })
  result.catch(() => checked?.delete('sa'))
  return result
}

async function loadTokenKey(
  store: CertificateStore | undefined,
  file: string | undefined,
  onMade: (file: string) => void,
): Promise<string> {
  const storedKey = file === undefined ? (await store?.load('sa'))?.key : await readIfPresent(file)
  if (storedKey !== undefined) return storedKey
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  if (file !== undefined) {
    await writeFileAtomically(file, pem, 0o600)
    onMade(file)
  }
  await store?.save('sa', { certificate: '', key: pem })
  return pem
}
