import { systemClock } from '@keelson/apimachinery'
import { defaultQueueLimits, type Backend, type Compaction, type SizeStatistics } from '@keelson/storagebackend'
import { connect, type Connected } from './connect.ts'
import type { Endpoint } from './endpoint.ts'
import { Etcd3Backend } from './etcd3-backend.ts'
import type { Etcd3Options, Settings } from './etcd3-options.ts'
import { CallFailedError, Servers } from './servers.ts'
import { readFailure, toBackendError } from './translate-error.ts'

/** Opens a storage backend on etcd. Waits until an etcd server responds. Throws `UnavailableError` if none responds in time. */
export async function openEtcd3(options: Etcd3Options): Promise<Backend & Compaction & SizeStatistics> {
  const settings = withDefaults(options)
  const connection = await connect(settings.transport, settings.egress)
  try {
    await waitForServer(connection, settings)
    const backend = new Etcd3Backend(connection, settings)
    await backend.start()
    return backend
  } catch (error) {
    await connection.close()
    throw error
  }
}

function withDefaults(options: Etcd3Options): Settings {
  return {
    transport: options.transport,
    prefix: options.prefix ?? '/registry',
    compactionInterval: options.compactionInterval ?? 5 * 60_000,
    egress: options.egress,
    connectTimeout: options.connectTimeout ?? 20_000,
    callTimeout: options.callTimeout ?? 8000,
    retryTimeout: options.retryTimeout ?? 15_000,
    healthTimeout: options.healthTimeout ?? 2000,
    pageSize: options.pageSize ?? 10_000,
    progressInterval: options.progressInterval ?? 10_000,
    watchQueue: { ...defaultQueueLimits, ...options.watchQueue },
    clock: options.clock ?? systemClock,
    log: options.log ?? (() => {}),
  }
}

async function waitForServer({ endpoints }: Connected, { clock, connectTimeout, log }: Settings): Promise<void> {
  const loggedMessages = new Set<string>()
  /** Logs each reason once while the backend waits, so that the operator sees it early. */
  const logFailure = ({ address }: Endpoint, error: unknown): void => {
    const { message, transient } = readFailure(error)
    if (!transient || loggedMessages.has(`${address} ${message}`)) return
    loggedMessages.add(`${address} ${message}`)
    log(0, 'Waiting for etcd', { server: address, err: message, timeout: `${connectTimeout / 1000}s` })
  }
  const servers = new Servers(endpoints, { clock, callTimeout: Math.min(connectTimeout, 5000), retryTimeout: connectTimeout })
  try {
    const { version } = await servers.call({ type: 'read' }, async (endpoint, call) => {
      try {
        return await endpoint.maintenance.status(call)
      } catch (error) {
        logFailure(endpoint, error)
        throw error
      }
    })
    if (!hasReliableProgress(version)) {
      throw new Error(`etcd ${version} is too old: its progress responses are unreliable; use 3.4.31, 3.5.13 or later`)
    }
  } catch (error) {
    if (!(error instanceof CallFailedError)) throw error
    const addresses = endpoints.map(({ address }) => address).join(', ')
    throw toBackendError({ ...error.failure, message: `${addresses}: ${error.failure.message}` })
  }
}

/**
 * Returns whether this version of etcd sends correct progress responses. Older versions may report a revision before they have sent all its
 * changes. A cache would then serve stale data.
 */
export function hasReliableProgress(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number)
  if (major !== 3) return major > 3
  if (minor === 4) return patch >= 31
  if (minor === 5) return patch >= 13
  return minor > 5
}
