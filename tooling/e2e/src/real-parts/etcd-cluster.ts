import { type EtcdProcess, freePorts, startEtcd } from './etcd-process.ts'

export interface EtcdCluster extends AsyncDisposable {
  readonly members: readonly EtcdProcess[]
}

/** Starts an etcd cluster. The heartbeat interval is long, so that a busy machine does not cause elections. */
export async function startEtcdCluster(binary: string, size: number): Promise<EtcdCluster> {
  const peerPorts = await freePorts(size)
  const cluster = peerPorts.map((peerPort, i) => `m${i}=http://127.0.0.1:${peerPort}`).join(',')
  const flags = ['--heartbeat-interval=50', '--election-timeout=500']
  const members = await Promise.all(
    peerPorts.map((peerPort, i) => startEtcd(binary, { flags, member: { name: `m${i}`, peerPort, cluster } })),
  )
  return {
    members,
    async [Symbol.asyncDispose]() {
      await Promise.all(members.map((member) => member[Symbol.asyncDispose]()))
    },
  }
}
