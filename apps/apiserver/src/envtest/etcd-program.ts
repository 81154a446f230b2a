import { createServer } from 'node:http'
import type { Server } from 'node:http'
import path from 'node:path'

const help = `A stand-in for etcd, for envtest. It stores nothing: the kube-apiserver in this directory keeps its objects in --data-dir itself.

  --data-dir string                 Directory of the store. Default: default.etcd
  --listen-client-urls string       URLs for health checks. Default: http://localhost:2379
  --unsafe-no-fsync                 Accepted and not needed: the store does not wait for the disk.
Other flags of etcd are accepted and have no effect.
`

/** Path of the directory of the store. A real etcd does not serve it. */
export const dataDirectoryPath = '/keelson/data-dir'

/** Runs the stand-in for etcd until a signal ends it. It answers health checks, and names its data directory to kube-apiserver. */
export async function runEtcdProgram(argv: readonly string[]): Promise<void> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(help)
    return
  }
  const directory = path.resolve(readFlag(argv, 'data-dir') ?? 'default.etcd')
  const urls = (readFlag(argv, 'listen-client-urls') ?? 'http://localhost:2379').split(',')
  const servers = await Promise.all(urls.map((url) => listen(new URL(url), directory)))
  const stop = (): void => {
    for (const server of servers) {
      server.close()
      server.closeAllConnections()
    }
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

function listen({ protocol, hostname, port }: URL, directory: string): Promise<Server> {
  if (protocol !== 'http:') throw new Error(`--listen-client-urls: ${protocol} is not supported; only http`)
  const server = createServer(({ url }, response) => {
    const isKnown = url === '/health' || url === dataDirectoryPath
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
    response.end(url === '/health' ? '{"health":"true","reason":""}' : isKnown ? JSON.stringify({ directory }) : '')
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(Number(port || 80), hostname.replace(/^\[(.*)\]$/, '$1'), () => resolve(server))
  })
}

/** Returns the value of a flag, which is written as `--name=value`, `--name value` or with one dash. The last one applies. */
export function readFlag(argv: readonly string[], name: string): string | undefined {
  let value: string | undefined
  for (const [i, argument] of argv.entries()) {
    const match = /^--?([^=]+)(?:=(.*))?$/s.exec(argument)
    if (match?.[1] === name) value = match[2] ?? argv[i + 1]
  }
  return value
}
