import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { startKonnectivityServer } from '@keelson/outbound/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { buildGoDirectory } from '../real-parts/build-go-directory.ts'

const program = await buildGoDirectory({
  subject: "the program on upstream's konnectivity-client",
  name: 'konnectivity-client',
  url: new URL('konnectivity-client/', import.meta.url),
})

describe.skipIf(program === undefined)("the stand-in for konnectivity's server", () => {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'keelson-konnectivity-'))
  const servers: Server[] = []
  afterAll(() => {
    for (const server of servers) server.close()
    rmSync(directory, { recursive: true, force: true })
  })

  const listen = async (serve: (socket: Socket) => void): Promise<string> => {
    const server = createServer((socket) => serve(socket.on('error', () => {})))
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  test("passes the checks of upstream's client", { timeout: 120_000 }, async () => {
    const socket = path.join(directory, 'proxy.sock')
    await using server = await startKonnectivityServer({ socket })
    const echoing = await listen((client) => void client.pipe(client))
    const closing = await listen((client) => void client.once('data', () => client.end('bye')))
    const { stdout } = await promisify(execFile)(program ?? '', [socket, echoing, closing, '127.0.0.1:1'])
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual([
      { name: 'sends bytes both ways and closes' },
      { name: 'carries many connections at once' },
      { name: 'ends when the remote closes' },
      { name: 'reports that the remote refuses' },
    ])
    expect(server.addresses).toHaveLength(23)
    await expect.poll(() => server.openConnections).toBe(0)
  })
})
