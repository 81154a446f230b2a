import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface ListedLease {
  readonly id: string
  readonly grantedTTL: number
  readonly keys: readonly string[]
}

/** Reads the contents of etcd with etcdctl, which shares no code with Keelson. */
export class Etcdctl {
  readonly #binary: string
  readonly #endpoint: string

  constructor(binary: string, endpoint: string) {
    this.#binary = binary
    this.#endpoint = endpoint
  }

  async values(prefix: string): Promise<Map<string, Buffer>> {
    const { kvs = [] } = JSON.parse(await this.#run('get', '--prefix', prefix, '-w', 'json')) as { kvs?: { key: string; value?: string }[] }
    return new Map(kvs.map(({ key, value }) => [Buffer.from(key, 'base64').toString(), Buffer.from(value ?? '', 'base64')]))
  }

  async leases(): Promise<ListedLease[]> {
    const ids = (await this.#run('lease', 'list')).split('\n').filter((line) => /^[0-9a-f]{16}$/.test(line))
    return Promise.all(
      ids.map(async (id) => {
        const output = await this.#run('lease', 'timetolive', id, '--keys')
        const [, ttl, keys] = /granted with TTL\((\d+)s\).*attached keys\(\[(.*)\]\)/.exec(output)!
        return { id, grantedTTL: Number(ttl), keys: keys === '' ? [] : keys!.split(' ') }
      }),
    )
  }

  async #run(...args: string[]): Promise<string> {
    const { stdout } = await run(this.#binary, [`--endpoints=${this.#endpoint}`, ...args], {
      env: { ...process.env, ETCDCTL_API: '3' },
      maxBuffer: 64 * 1024 * 1024,
    })
    return stdout
  }
}
