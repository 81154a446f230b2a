import { generateKeyPair } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { writeFileAtomically } from '../write-file.ts'

/** A private key, PEM, to sign service accounts' tokens with. What is kept in the directory is used again; without one it is new at each start. */
export async function ownTokenKey(directory: string | undefined): Promise<string> {
  const file = directory === undefined ? undefined : path.join(directory, 'sa.key')
  const kept = file === undefined ? undefined : await readIfThere(file)
  if (kept !== undefined) return kept
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  if (file !== undefined) await writeFileAtomically(file, pem, 0o600)
  return pem
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
