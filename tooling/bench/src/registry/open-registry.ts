import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createServerChain } from '@keelson/control-plane'
import type { LoopbackResource } from '@keelson/loopback'
import { namespace } from '../sample-pod.ts'

export interface OpenRegistry extends AsyncDisposable {
  /** Writes with defaults, managed fields and all default admission plugins. */
  readonly pods: LoopbackResource
}

/** A whole server on a fresh embedded store, without requests. */
export async function openRegistry(): Promise<OpenRegistry> {
  const directory = mkdtempSync(path.join(tmpdir(), 'keelson-bench-'))
  const chain = await createServerChain({
    storage: { type: 'embedded', dataDir: directory },
    lifecycle: { shutdownGraceMs: 0 },
  })
  await chain.listen()
  await chain.ready
  const resource = (name: string): LoopbackResource => chain.client.resource({ group: '', resource: name })!
  await resource('namespaces').create('', { metadata: { name: namespace } })
  // Admission rejects pods until the service account exists.
  while ((await resource('serviceaccounts').get(namespace, 'default')) === undefined)
    await new Promise((resolve) => setTimeout(resolve, 20))
  return {
    pods: resource('pods'),
    async [Symbol.asyncDispose]() {
      await chain.close()
      rmSync(directory, { recursive: true })
    },
  }
}
