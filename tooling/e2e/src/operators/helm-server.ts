import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

/** A Helm repository over HTTP with one chart. */
export class HelmServer implements AsyncDisposable {
  readonly url: string
  readonly #server: http.Server
  #versions: readonly string[] = []

  private constructor(server: http.Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
      const body = this.#read(request.url ?? '')
      response.writeHead(body === undefined ? 404 : 200).end(body)
    })
  }

  static async start(): Promise<HelmServer> {
    const server = http.createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new HelmServer(server)
  }

  publish(versions: readonly string[]): void {
    this.#versions = versions
  }

  #read(path: string): Buffer | string | undefined {
    if (path === '/index.yaml') {
      const entries = this.#versions.map((version) => ({ ...createChart(version), urls: [`${this.url}/demo-${version}.tgz`] }))
      return JSON.stringify({ apiVersion: 'v1', entries: { demo: entries } })
    }
    const version = /^\/demo-(.*)\.tgz$/.exec(path)?.[1]
    if (version === undefined || !this.#versions.includes(version)) return undefined
    return gzipSync(
      writeTar({
        'demo/Chart.yaml': JSON.stringify(createChart(version)),
        'demo/values.yaml': 'text: hello\n',
        'demo/templates/config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: demo }\n',
      }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

function createChart(version: string): object {
  return { apiVersion: 'v2', name: 'demo', version, description: 'A chart of a test' }
}

/** Writes text files as a tar archive in the format ustar. */
function writeTar(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const content = Buffer.from(text)
    const header = Buffer.alloc(512)
    const formatOctal = (value: number, length: number): string => value.toString(8).padStart(length - 1, '0')
    header.write(name, 0)
    header.write(formatOctal(0o644, 8), 100)
    header.write(formatOctal(0, 8), 108)
    header.write(formatOctal(0, 8), 116)
    header.write(formatOctal(content.length, 12), 124)
    header.write(formatOctal(0, 12), 136)
    // The checksum is computed as if its own field contained spaces.
    header.write('        0', 148)
    header.write('ustar\x0000', 257)
    header.write(
      `${formatOctal(
        header.reduce((sum, byte) => sum + byte, 0),
        7,
      )}\0 `,
      148,
    )
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}
