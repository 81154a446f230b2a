import { connect, createServer, type Socket } from 'node:net'

export interface TcpProxy extends AsyncDisposable {
  readonly url: string
  /** Bytes of this direction are thrown away from now on, on all connections; undefined lets everything through. */
  swallow(direction: 'requests' | 'answers' | undefined): void
  /** Resets every connection. New ones are taken. */
  cut(): void
  /** Every connection is cut when so many bytes of answers have gone through it. */
  cutAfter(bytes: () => number): void
  readonly connections: number
}

/** Stands between a client and a server on this machine, and breaks what goes through it. */
export async function startTcpProxy(port: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let swallowed: 'requests' | 'answers' | undefined
  let budget = (): number => Infinity
  let connections = 0
  const server = createServer((client) => {
    connections++
    const upstream = connect(port, '127.0.0.1')
    const pair = [client, upstream] as const
    pairs.add(pair)
    let left = Math.floor(budget())
    const end = (): void => {
      client.destroy()
      upstream.destroy()
      pairs.delete(pair)
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    client.on('data', (data) => swallowed !== 'requests' && upstream.write(data))
    upstream.on('data', (data: Buffer) => {
      if (swallowed === 'answers') return
      const part = data.subarray(0, left)
      left -= part.length
      client.write(part, () => left <= 0 && end())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy()
      upstream.destroy()
    }
  }
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    swallow: (direction) => void (swallowed = direction),
    cut,
    cutAfter: (bytes) => void (budget = bytes),
    get connections() {
      return connections
    },
    async [Symbol.asyncDispose]() {
      server.close()
      cut()
    },
  }
}
