import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@keelson/apimachinery'
import { openEmbedded } from '@keelson/backend-embedded'
import { createManualClock } from '@keelson/apimachinery/testing'
import { checkHistory } from '../checker/index.ts'
import { allKeys, startLoad } from '../load/clients.ts'
import { RecordedBackend } from '../load/recorded-backend.ts'
import { HistoryBuilder } from '../load/recorder.ts'
import { addCheck, fail, newResult, type Scenario } from './scenario.ts'

/** Scenario that sets the store's clock forwards and backwards while clients write keys with leases. */
export const clockSteps: Scenario = {
  name: 'clock-steps',
  about: 'clock steps forwards and backwards, with active leases',
  rounds: 60,
  roundsPerPart: 60,
  shortRounds: 3,
  async run({ rounds, directory, random }) {
    const result = newResult()
    for (let round = 0; round < rounds; round++) {
      const manual = createManualClock()
      let step = 0
      const clock: Clock = { now: () => manual.now() + step, after: (milliseconds, call) => manual.after(milliseconds, call) }
      const backend = await openEmbedded({ dataDir: join(directory, String(round)), clock })
      const history = new HistoryBuilder()
      const load = startLoad(backend, history, 1, { name: 'c', clients: 4, watchers: 3, keys: 20, valueBytes: 100, calls: 60, random })
      const leased = new RecordedBackend(backend, history, 'leased', 100)
      const due = new Map<string, number>()
      const early: string[] = []
      const abort = new AbortController()
      const expiring = (async () => {
        for await (const message of backend.watch({ start: '/leased/', end: '/leased0' }, 1, { signal: abort.signal }))
          if (message.type === 'changes')
            for (const change of message.changes)
              if (change.type === 'delete' && clock.now() < due.get(change.key)!)
                early.push(`${change.key} expired ${due.get(change.key)! - clock.now()} ms early`)
      })()
      for (let i = 0; i < 20; i++) {
        const ttl = 1 + Math.floor(random() * 30)
        const key = `/leased/${i}`
        const began = clock.now()
        const lease = await backend.grantLease(ttl)
        due.set(key, began + ttl * 1000)
        await leased.commit([], [{ type: 'put', key, tag: leased.tag() }], lease)
        step += Math.floor((random() - 0.5) * 40_000)
        manual.advance(Math.floor(random() * 3000))
        await waitForTurns()
      }
      await load.done
      for (let i = 0; i < 300; i++) {
        manual.advance(1000)
        await waitForTurns()
      }
      // Waits in real time, because flushes do not use the simulated clock.
      const range = { start: '/leased/', end: '/leased0' }
      for (let i = 0; i < 100 && (await backend.list(range)).count > 0; i++) {
        manual.advance(1000)
        await sleep(20)
      }
      for (const subject of early) fail(result, subject)
      const remaining = await backend.list(range)
      if (remaining.count > 0) fail(result, `${remaining.count} keys outlived their leases`)
      const last = await new RecordedBackend(backend, history, 'last', 0).list(allKeys)
      if (last.type === 'page') for (const name of await load.finish(last.revision)) history.mustReach(name, last.revision)
      abort.abort()
      await expiring
      await backend[Symbol.asyncDispose]()
      addCheck(
        result,
        checkHistory({ start: 1, calls: history.calls, watches: history.watches, restarts: [], expiries: true }),
        `clock round ${round}`,
      )
      result.rounds++
    }
    return result
  },
}

async function waitForTurns(): Promise<void> {
  for (let i = 0; i < 6; i++) await new Promise((resolve) => setImmediate(resolve))
}
