import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createServerChain } from '@keelson/control-plane'
import type { LoopbackResource } from '@keelson/loopback'
import { namespace } from '../sample-pod.ts'

export interface OpenRegistry extends AsyncDisposable {
  /** Client for pods. Its writes pass through defaults, managed fields and all default admission plugins. */
  readonly pods: LoopbackResource
}

/** Opens a whole server in this process, with an empty embedded store. No HTTP requests are needed to use it. */
export async function openRegistry(): Promise<OpenRegistry> {
  const directory = mkdtempSync(path.join(tmpdir(), 'keelson-bench-'))
  const chain = await createServerChain({
    storage: { type: 'embedded', dataDir: directory },
    lifecycle: { shutdownGraceMs: 0 },
  })
  await chain.listen()
  await chain.ready
  const requireResource = (name: string): LoopbackResource => chain.client.resource({ group: '', resource: name })!
  await requireResource('namespaces').create('', { metadata: { name: namespace } })
  // Wait for the default service account, because admission rejects pods without it.
  while ((await requireResource('serviceaccounts').get(namespace, 'default')) === undefined)
    await new Promise((resolve) => setTimeout(resolve, 20))
  return {
    pods: requireResource('pods'),
    async [Symbol.asyncDispose]() {
      await chain.close()
      rmSync(directory, { recursive: true })
    },
  }
}
