import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbedded } from '@keelson/backend-embedded'
import { checkHistory, type Restart } from '../checker/index.ts'
import { allKeys } from '../load/clients.ts'
import { RecordedBackend } from '../load/recorded-backend.ts'
import { HistoryBuilder, readClock } from '../load/recorder.ts'
import { addCheck, newResult, type Scenario } from './scenario.ts'

/**
 * Scenario that kills a process while it writes to an embedded store. All rounds use the same store, so each round opens it after the kill
 * of the previous round.
 */
export const killEmbedded: Scenario = {
  name: 'kill-embedded',
  about: 'SIGKILL of the process during load on LMDB',
  rounds: 60,
  roundsPerPart: 20,
  shortRounds: 3,
  async run({ rounds, directory, random }) {
    const result = newResult()
    const dataDir = join(directory, 'store')
    const history = new HistoryBuilder()
    const restarts: Restart[] = []
    for (let round = 0; round < rounds; round++) {
      const file = join(directory, `${round}.ndjson`)
      await loadUntilKilled([dataDir, file, `r${round}`, String(Math.floor(random() * 2 ** 31))], 60 + random() * 240)
      const killed = readClock()
      if (existsSync(file)) history.addFile(file)
      history.settle(killed)
      const backend = await openEmbedded({ dataDir })
      restarts.push({ time: readClock(), revision: backend.takeSnapshot().revision })
      await new RecordedBackend(backend, history, `after${round}`, 0).list(allKeys)
      await backend[Symbol.asyncDispose]()
      result.rounds++
    }
    addCheck(result, checkHistory({ start: 1, calls: history.calls, watches: history.watches, restarts }), 'LMDB killed')
    return result
  },
}

function loadUntilKilled(args: readonly string[], milliseconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'load-child.ts'), args, { execArgv: [] })
    child.on('message', () => void sleep(milliseconds).then(() => child.kill('SIGKILL')))
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (signal === 'SIGKILL') resolve()
      else reject(new Error(`the process under load ended unexpectedly with ${code ?? signal}`))
    })
  })
}
