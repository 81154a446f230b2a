import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'

/** Writes the kubeconfig of a webhook into a file that exists until the end of the tests. Returns its path. */
export function writeKubeconfig(url: string): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'keelson-images-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  const file = path.join(directory, 'kubeconfig')
  const [cluster, user, context] = [`{ server: '${url}' }`, '{ token: secret }', '{ cluster: c, user: u }']
  const lists = [
    `clusters: [{ name: c, cluster: ${cluster} }]`,
    `users: [{ name: u, user: ${user} }]`,
    `contexts: [{ name: x, context: ${context} }]`,
  ]
  writeFileSync(file, `${lists.join('\n')}\ncurrent-context: x\n`)
  return file
}
