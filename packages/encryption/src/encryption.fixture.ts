import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { openEncryption } from './open-encryption.ts'
import type { Encryption, EncryptionOptions } from './open-encryption.ts'

export const secrets = { group: '', resource: 'secrets' }

export function createSecret(digit: number): string {
  return Buffer.alloc(32, digit).toString('base64')
}

export function formatKeys(...digits: number[]): string {
  return `{keys: [${digits.map((digit) => `{name: key${digit}, secret: ${createSecret(digit)}}`).join(', ')}]}`
}

export function formatConfiguration(resources: Readonly<Record<string, readonly string[]>>): string {
  const entries = Object.entries(resources).map(
    ([names, providers]) => `- resources: [${names}]\n  providers:\n${providers.map((text) => `  - ${text}\n`).join('')}`,
  )
  return `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n${entries.join('')}`
}

export async function createDirectory(): Promise<string> {
  const created = await mkdtemp(path.join(tmpdir(), 'enc-'))
  onTestFinished(() => rm(created, { recursive: true, force: true }))
  return created
}

/** Opens encryption with this configuration, and closes it after the test. */
export async function openForTest(
  text: string,
  options: Partial<EncryptionOptions> = {},
): Promise<Encryption & { write(next: string): Promise<void> }> {
  const file = path.join(await createDirectory(), 'config.yaml')
  await writeFile(file, text)
  const encryption = await openEncryption({ file, ...options })
  onTestFinished(() => encryption.close())
  return { ...encryption, write: (next) => writeFile(file, next) }
}
