import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { Attach, Exec, KubeConfig, Log, PortForward } from '@kubernetes/client-node'
import type { V1Status } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServerWithKubelet } from '../kubelet/server-with-kubelet.ts'
import type { ServerWithKubelet } from '../kubelet/server-with-kubelet.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'

const openssl = findOpenssl()
const patiently = { timeout: 15_000 }

/** Creates a stream that collects the text written to it. */
function gather(): { readonly stream: PassThrough; text(): string } {
  const stream = new PassThrough()
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

describe.skipIf(openssl === undefined)('@kubernetes/client-node, with a kubelet', { timeout: 60_000 }, () => {
  let setup: ServerWithKubelet
  let config: KubeConfig

  beforeAll(async () => {
    setup = await startServerWithKubelet(openssl ?? '')
    config = new KubeConfig()
    config.loadFromFile(setup.server.kubeconfig)
  })
  afterAll(() => setup[Symbol.asyncDispose]())

  const execInPod = (
    command: readonly string[],
    stdin: Readable | null = null,
  ): Promise<{ out: string; error: string; status: V1Status }> => {
    const [out, error] = [gather(), gather()]
    return new Promise((resolve, reject) => {
      new Exec(config)
        .exec('default', 'p', 'c', [...command], out.stream, error.stream, stdin, false, (status) =>
          resolve({ out: out.text(), error: error.text(), status }),
        )
        .catch(reject)
    })
  }

  test('exec transfers stdin, stdout, stderr and the exit code', async () => {
    const { out, error, status } = await execInPod(['sh', '-c', 'head -c 5; echo wrong >&2; exit 7'], Readable.from([Buffer.from('typed')]))
    expect([out, error]).toEqual(['typed', 'wrong\n'])
    expect(status).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '7' }] },
    })
    expect((await execInPod(['echo', 'a b'])).status).toMatchObject({ status: 'Success' })
  })

  test('exec fails for a missing pod', async () => {
    await expect(new Exec(config).exec('default', 'nope', 'c', 'true', gather().stream, null, null, false)).rejects.toBeDefined()
  })

  test('attach transfers input and output', async () => {
    const out = gather()
    const stdin = new PassThrough()
    const socket = await new Attach(config).attach('default', 'p', 'c', out.stream, gather().stream, stdin, false)
    stdin.write('to the process\n')
    await expect.poll(out.text, patiently).toBe('to the process\n')
    socket.close()
  })

  test('log returns the log, and follows it', async () => {
    setup.kubelet.log('earlier')
    const [whole, live] = [gather(), gather()]
    const log = new Log(config)
    await log.log('default', 'p', 'c', whole.stream, { tailLines: 1 })
    await expect.poll(whole.text, patiently).toBe('earlier\n')
    const ended = new Promise((resolve) => live.stream.once('end', resolve))
    await log.log('default', 'p', 'c', live.stream, { follow: true, tailLines: 1 })
    await expect.poll(live.text, patiently).toBe('earlier\n')
    setup.kubelet.log('later')
    await expect.poll(live.text, patiently).toBe('earlier\nlater\n')
    setup.kubelet.endLogs()
    await ended
    await expect(log.log('default', 'p', 'nope', gather().stream)).rejects.toMatchObject({ code: 400 })
  })

  test('port-forward transfers data', async () => {
    const behind = http.createServer((request, response) => void response.end(`${request.url} is here`))
    await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = behind.address() as AddressInfo
      const [out, error] = [gather(), gather()]
      const input = new PassThrough()
      await new PortForward(config).portForward('default', 'p', [port], out.stream, error.stream, input)
      input.write('GET /forwarded HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      await expect.poll(out.text, patiently).toContain('/forwarded is here')
      expect(error.text()).toBe('')
    } finally {
      behind.close()
    }
  })
})
