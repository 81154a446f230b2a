import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { isExchange } from '@keelson/exchange'
import type { InstallerEnv } from '@keelson/http-installer'
import { Hono } from 'hono'
import { installDebugFlags } from '../debug-flags.ts'
import { createNodeListener } from '../hono-adapter.ts'
import { installProfiling } from './install-profiling.ts'

export interface DebugSocketOptions {
  readonly onError: (error: unknown) => void
  /** Sets the verbosity of the log, for `PUT /debug/flags/v`. Default: the path does not exist. */
  readonly setVerbosity?: ((text: string) => void) | undefined
}

/**
 * Serves profiles on a Unix socket. Requests are not authenticated, because the permissions of the file limit who can connect. Replaces an existing
 * file, as kube-apiserver does.
 */
export async function openDebugSocket(path: string, { onError, setVerbosity }: DebugSocketOptions): Promise<AsyncDisposable> {
  const { createServer } = await import('node:http')
  const app = new Hono<InstallerEnv>({
    getPath: (_request, options) => {
      const env: unknown = options?.env
      return isExchange(env) ? env.target.path : '/'
    },
  })
  installProfiling(app)
  if (setVerbosity !== undefined) installDebugFlags(app, { v: setVerbosity })
  const node = createNodeListener({ fetch: app.fetch, services: {}, onError })
  const server = createServer((incoming, outgoing) => node.request(incoming, outgoing))
  // The socket must not keep a process alive whose server has stopped.
  server.unref()
  await rm(path, { force: true })
  server.listen(path)
  await once(server, 'listening')
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
