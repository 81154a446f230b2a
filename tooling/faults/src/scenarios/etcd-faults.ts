import { setTimeout as sleep } from 'node:timers/promises'
import { openEtcd3 } from '@keelson/backend-etcd3'
import type { Backend, Revision } from '@keelson/storagebackend'
import { startEtcd, type EtcdProcess } from '@keelson/tooling-e2e/etcd-process'
import { findEtcd } from '@keelson/tooling-e2e/find-etcd'
import { startTcpProxy, type TcpProxy } from '@keelson/tooling-e2e/tcp-proxy'
import { checkHistory } from '../checker/index.ts'
import { allKeys, formatKey, startLoad } from '../load/clients.ts'
import { RecordedBackend } from '../load/recorded-backend.ts'
import { openCached } from '../load/cached-backend.ts'
import { HistoryBuilder } from '../load/recorder.ts'
import { addCheck, fail, newResult, type Scenario } from './scenario.ts'

interface Target {
  readonly etcd: EtcdProcess
  readonly proxy: TcpProxy
  readonly random: () => number
  readonly cached: boolean
}

interface Fault {
  readonly name: string
  readonly about: string
  readonly strike: (target: Target) => Promise<void>
  /**
   * Number of changes that are written before the watches of the round start. The watches start from an older revision and must catch up.
   */
  readonly behind?: number
  readonly calls: number
  readonly short: number
}

/** Number of changes that a watch still has to receive when its connection is cut. */
const behind = 1500
const valueBytes = 300

const faults: readonly Fault[] = [
  {
    name: 'etcd-pause',
    about: 'etcd stops answering for a while (SIGSTOP)',
    calls: 60,
    short: 1,
    async strike({ etcd, random }) {
      etcd.pause()
      await sleep(random() < 0.3 ? 1300 : 400 * random())
      etcd.resume()
    },
  },
  {
    name: 'etcd-kill',
    about: 'etcd is killed and restarted later',
    calls: 60,
    short: 1,
    async strike({ etcd, random }) {
      await etcd.kill()
      await sleep(400 * random())
      await etcd.start()
    },
  },
  {
    name: 'etcd-restart',
    about: 'etcd is restarted cleanly',
    calls: 60,
    short: 0,
    async strike({ etcd }) {
      await etcd.stop()
      await etcd.start()
    },
  },
  {
    name: 'etcd-cut',
    about: 'connections are cut, even while a watch catches up with more than 1,000 revisions',
    calls: 40,
    short: 1,
    behind,
    async strike({ proxy, random }) {
      for (let i = 0; i < 3; i++) {
        proxy.cutAfter(Math.floor(random() * behind * valueBytes * 2))
        await sleep(20 + 80 * random())
      }
      proxy.cutAfter()
      proxy.cut()
    },
  },
]

/**
 * Scenarios for the faults of etcd and its connections. Each fault has a scenario for the store, and one for a watch cache on top of the
 * store.
 */
export const etcdFaults: readonly Scenario[] = [
  ...faults.map((fault) => toScenario(fault, false)),
  ...faults.map((fault) => toScenario(fault, true)),
]

function toScenario(fault: Fault, cached: boolean): Scenario {
  const name = cached ? `cacher-${fault.name}` : fault.name
  return {
    name,
    about: cached ? `${fault.about}; read through a watch cache` : fault.about,
    rounds: 30,
    roundsPerPart: 15,
    shortRounds: cached && fault.name !== 'etcd-kill' ? 0 : fault.short,
    async explainUnavailable() {
      return findEtcd() === undefined ? 'etcd is not installed' : undefined
    },
    async run({ rounds, random }) {
      const result = newResult()
      await using etcd = await startEtcd(findEtcd()!)
      await using proxy = await startTcpProxy(etcd.port)
      const history = new HistoryBuilder()
      const store = await openEtcd3({
        transport: { serverList: [proxy.url] },
        compactionInterval: 0,
        callTimeout: 1000,
        retryTimeout: 2500,
        progressInterval: 500,
      })
      const cache = cached ? await openCached(store, '/registry/things/') : undefined
      const backend = cache ?? store
      try {
        for (let round = 0; round < rounds; round++) {
          const revision = await runRound(backend, history, fault, { etcd, proxy, random, cached }, round)
          if (revision === undefined) fail(result, `round ${round}: the store did not recover`)
          const difference = await cache?.findFirstDifference()
          if (difference !== undefined) fail(result, `round ${round}: the cache differs from the store at ${difference}`)
          result.rounds++
        }
      } finally {
        await cache?.[Symbol.asyncDispose]()
        await store[Symbol.asyncDispose]()
      }
      // One cut per round comes after all data was received. The others are in the middle of a catch-up.
      if (fault.behind)
        result.notes.push(`connections were cut ${proxy.cuts} times, ${proxy.cuts - rounds} of them in the middle of a catch-up`)
      if (fault.behind && proxy.cuts < 2 * rounds) fail(result, 'no connection was cut while a watch was catching up')
      addCheck(result, checkHistory({ start: 1, calls: history.calls, watches: history.watches, restarts: [] }), name)
      return result
    },
  }
}

async function runRound(
  backend: Backend,
  history: HistoryBuilder,
  fault: Fault,
  target: Target,
  round: number,
): Promise<Revision | undefined> {
  const { random, cached } = target
  const { revision: start } = await backend.get('/')
  if (fault.behind) {
    const written = writeAhead(backend, history, fault.behind, round)
    // The watch of a cache never starts far behind, so the fault strikes while the cache receives the changes.
    if (cached) await fault.strike(target)
    await written
  }
  const load = startLoad(backend, history, start, {
    name: `r${round}`,
    clients: 6,
    watchers: 4,
    keys: 30,
    valueBytes,
    calls: fault.calls,
    random,
    past: 30,
    pace: () => sleep(random() * 4),
  })
  // If watches must catch up, the fault strikes right after their start. Otherwise it strikes in the middle of the load.
  await sleep(fault.behind ? 5 * random() : 20 + 80 * random())
  await fault.strike(target)
  await load.done
  const reader = new RecordedBackend(backend, history, `end${round}`, 0)
  for (let i = 0; i < 30; i++) {
    const page = await reader.list(allKeys)
    if (page.type !== 'page') continue
    history.settle()
    for (const name of await load.finish(page.revision)) history.mustReach(name, page.revision)
    return page.revision
  }
  return undefined
}

async function writeAhead(backend: Backend, history: HistoryBuilder, count: number, round: number): Promise<void> {
  const writers = Array.from({ length: 30 }, async (_, i) => {
    const writer = new RecordedBackend(backend, history, `a${round}w${i}`, valueBytes)
    for (let n = 0; n < count / 30; n++) await writer.commit([], [{ type: 'put', key: formatKey(i), tag: writer.tag() }])
  })
  await Promise.all(writers)
}
