import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { isBackendError, type Backend, type Revision } from '@keelson/storagebackend'
import { openEmbedded } from '@keelson/backend-embedded'
import { checkHistory } from '../checker/index.ts'
import { allKeys, startLoad } from '../load/clients.ts'
import { RecordedBackend } from '../load/recorded-backend.ts'
import { HistoryBuilder } from '../load/recorder.ts'
import { addCheck, fail, newResult, type Scenario } from './scenario.ts'

/** Scenario with a slow reader of a watch. The reader must get an error instead of a gap, and must not delay other readers. */
export const slowWatcher: Scenario = {
  name: 'slow-watcher',
  about: 'a watch whose reader is slower than the writes',
  rounds: 20,
  roundsPerPart: 20,
  shortRounds: 1,
  async run({ rounds, directory, random }) {
    const result = newResult()
    let ended = 0
    for (let round = 0; round < rounds; round++) {
      const backend = await openEmbedded({
        dataDir: join(directory, String(round)),
        watchQueue: { changes: 100 },
        history: { revisions: 1000 },
      })
      const history = new HistoryBuilder()
      const load = startLoad(backend, history, 1, { name: 'l', clients: 8, watchers: 0, keys: 30, valueBytes: 300, calls: 500, random })
      const abort = new AbortController()
      const slow = readSlowly(backend, history, abort.signal)
      // This reader is fast. The slow reader must not affect it.
      const quick = new RecordedBackend(backend, history, 'quick', 0).watch('quick', allKeys, 1, { signal: abort.signal })
      await load.done
      const last = await new RecordedBackend(backend, history, 'last', 0).list(allKeys)
      if (last.type === 'page') await waitUntilReached(history, 'quick', last.revision)
      abort.abort()
      await quick
      ended += await slow
      await backend[Symbol.asyncDispose]()
      addCheck(
        result,
        checkHistory({ start: 1, calls: history.calls, watches: history.watches, restarts: [] }),
        `slow watcher round ${round}`,
      )
      result.rounds++
    }
    if (ended === 0) fail(result, 'no slow watch ended: the scenario has no effect')
    result.notes.push(`${ended} slow watches were ended and resumed`)
    return result
  },
}

async function waitUntilReached(history: HistoryBuilder, name: string, revision: Revision): Promise<void> {
  history.mustReach(name, revision)
  for (let i = 0; i < 100; i++) {
    const items = history.watches.find((watch) => watch.name === name)!.segments.at(-1)!.items
    if ((items.at(-1)?.revision ?? 0) >= revision) return
    await sleep(20)
  }
}

async function readSlowly(backend: Backend, history: HistoryBuilder, signal: AbortSignal): Promise<number> {
  const reader = new RecordedBackend(backend, history, 'slow', 0)
  let ended = 0
  let reached = 1
  for (let life = 0; !signal.aborted;) {
    try {
      await reader.watch(`slow${life}`, allKeys, reached, {
        signal,
        pause: () => sleep(250),
      })
    } catch (error) {
      ended++
      const position = history.watches
        .find(({ name }) => name === `slow${life}`)
        ?.segments.at(-1)
        ?.items.at(-1)?.revision
      if (isBackendError(error, 'SlowWatcherError')) reached = position ?? reached
      else if (isBackendError(error, 'CompactedError')) {
        // Lists and then watches from the revision of the list, like a client.
        const page = await reader.list(allKeys)
        if (page.type === 'page') reached = page.revision
        life++
      } else throw error
    }
  }
  return ended
}
