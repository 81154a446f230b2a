import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy that can lose its connections. */
export interface CuttingProxy extends AsyncDisposable {
  readonly port: number
  /** Breaks every connection; new ones are taken. */
  cut(): void
  /** Breaks every connection as soon as the server has sent so many more bytes. */
  cutAfter(bytes: number): void
  /** How often connections were broken. */
  readonly cuts: number
}

export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let allowance = Infinity
  let cuts = 0
  const cut = (): void => {
    cuts++
    allowance = Infinity
    for (const socket of sockets) socket.resetAndDestroy()
    sockets.clear()
  }
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
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
    client.pipe(upstream)
    upstream.on('data', (data: Buffer) => {
      allowance -= data.length
      if (allowance < 0) {
        // What came first still arrives: the break is in the middle.
        client.write(data.subarray(0, Math.max(0, data.length + allowance)))
        setImmediate(cut)
        allowance = Infinity
      } else if (!client.write(data)) upstream.pause()
    })
    client.on('drain', () => upstream.resume())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    cutAfter: (bytes) => void (allowance = bytes),
    get cuts() {
      return cuts
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
