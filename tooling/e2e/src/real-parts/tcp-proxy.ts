import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface TcpProxy extends AsyncDisposable {
  readonly url: string
  /** Discards all further bytes of one direction. `undefined` forwards both directions again. */
  swallow(direction: 'requests' | 'answers' | undefined): void
  /** Resets all connections. The proxy still accepts new connections. */
  cut(): void
  /**
   * Resets all connections when the server has sent the first number of bytes, then again for each further number. Replaces the numbers of
   * earlier calls.
   */
  cutAfter(...bytes: readonly number[]): void
  /** Number of times that connections were reset so far. */
  readonly cuts: number
  /** Number of accepted connections so far. */
  readonly connections: number
}

/** Starts a proxy between a client and a server on this machine that can break connections. */
export async function startTcpProxy(port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let swallowed: 'requests' | 'answers' | undefined
  let planned: number[] = []
  let cuts = 0
  let connections = 0
  const cut = (): void => {
    cuts++
    for (const socket of sockets) socket.resetAndDestroy()
    sockets.clear()
  }
  const server = createServer((client) => {
    connections++
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (data) => {
      if (swallowed !== 'requests' && !upstream.write(data)) client.pause()
    })
    const answer = (data: Buffer): void => {
      if (swallowed === 'answers') return
      const remainingBytes = planned[0] ?? Infinity
      if (data.length < remainingBytes) {
        if (planned.length > 0) planned[0] = remainingBytes - data.length
        if (!client.write(data)) upstream.pause()
      } else {
        planned.shift()
        // Forwards the bytes up to the limit and drops the rest of the chunk, so that a connection breaks in the middle of the data.
        upstream.off('data', answer)
        client.write(data.subarray(0, remainingBytes), cut)
      }
    }
    upstream.on('data', answer)
    upstream.on('drain', () => client.resume())
    client.on('drain', () => upstream.resume())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallow: (direction) => void (swallowed = direction),
    cut,
    cutAfter: (...bytes) => void (planned = [...bytes]),
    get cuts() {
      return cuts
    },
    get connections() {
      return connections
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
