import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { PackedPackage } from './pack.ts'

export interface LocalRegistry extends AsyncDisposable {
  /**
   * Lines for the `.npmrc` of a project. npm then installs the `@keelson` packages from this registry and all other packages from the
   * default registry.
   */
  readonly npmrc: string
}

/** Starts an npm registry that serves the packed packages. Projects can install these packages by name and version range, like users do. */
export async function openLocalRegistry(packages: readonly PackedPackage[]): Promise<LocalRegistry> {
  const byPath = new Map(packages.map((packedPackage) => [`/${packedPackage.name}`, packedPackage]))
  const byTarball = new Map(packages.map((packedPackage) => [`/-/${path.basename(packedPackage.tarball)}`, packedPackage]))
  const server = createServer((incoming, outgoing) => {
    const target = decodeURIComponent(incoming.url ?? '/')
    const foundPackedPackage = byPath.get(target)
    const tarball = byTarball.get(target)
    if (tarball !== undefined) outgoing.end(tarball.bytes)
    else if (foundPackedPackage !== undefined)
      outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(createDocument(foundPackedPackage)))
    else outgoing.writeHead(404).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const createDocument = ({ name, manifest, bytes, tarball }: PackedPackage): unknown => {
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    const version = { ...manifest, dist: { tarball: `${url}/-/${path.basename(tarball)}`, integrity } }
    return { name, 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: version } }
  }
  return {
    npmrc: `@keelson:registry=${url}\n`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
