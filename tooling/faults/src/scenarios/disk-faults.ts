import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@keelson/apimachinery'
import {
  LmdbDurability,
  NotWrittenError,
  openDurable,
  type Durability,
  type LoadedState,
  type WriteBatch,
} from '@keelson/backend-embedded/testing'
import { checkHistory, type Restart } from '../checker/index.ts'
import { allKeys, startLoad } from '../load/clients.ts'
import { RecordedBackend } from '../load/recorded-backend.ts'
import { HistoryBuilder, readClock } from '../load/recorder.ts'
import { addCheck, newResult, type Scenario } from './scenario.ts'

/**
 * A simulated disk that delays flushes and is sometimes full. At the end of a round, it fails before or after a write, or stops responding.
 */
export class FaultyDisk implements Durability {
  readonly #disk: Durability
  readonly #random: () => number
  failed = false

  constructor(disk: Durability, random: () => number) {
    this.#disk = disk
    this.#random = random
  }

  load(): LoadedState {
    return this.#disk.load()
  }

  async write(batch: WriteBatch): Promise<void> {
    if (this.#random() < 0.5) await sleep(this.#random() * 4)
    const dice = this.#random()
    if (dice < 0.03) throw new NotWrittenError('no space left on device')
    if (dice < 0.045) {
      this.failed = true
      // Simulates a power cut with a flush that never ends.
      if (dice < 0.035) await new Promise(() => undefined)
      if (dice < 0.04) await this.#disk.write(batch)
      throw new Error('EIO: i/o error, fdatasync')
    }
    await this.#disk.write(batch)
  }

  size(): Promise<number> {
    return this.#disk.size()
  }
  close(): Promise<void> {
    return this.#disk.close()
  }
}

/** A simulated disk that acknowledges writes before it writes them. The checker must detect this fault. */
export class EarlyDisk extends FaultyDisk {
  #late: Promise<void> = Promise.resolve()
  override async write(batch: WriteBatch): Promise<void> {
    const copy = { ...batch, puts: [...batch.puts], deletes: [...batch.deletes], replaced: [...batch.replaced] }
    this.#late = this.#late.then(() => sleep(15)).then(() => (this.failed ? undefined : super.write(copy)))
    this.#late.catch(() => undefined)
  }
}

/** A clock that runs 200 times as fast. The store checks for free space every five seconds, which would take too long. */
const fastClock: Clock = {
  now: () => performance.now() * 200,
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds / 200)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

export const diskFaults: Scenario = {
  name: 'disk-faults',
  about: 'delayed and failed flushes, power cuts, and a full disk',
  rounds: 60,
  roundsPerPart: 30,
  shortRounds: 3,
  async run({ rounds, directory, random }) {
    const result = newResult()
    addCheck(result, await runDisk(FaultyDisk, rounds, directory, random), 'faulty disk')
    result.rounds = rounds
    return result
  },
}

export async function runDisk(
  disk: new (disk: Durability, random: () => number) => FaultyDisk,
  rounds: number,
  directory: string,
  random: () => number,
): Promise<ReturnType<typeof checkHistory>> {
  const history = new HistoryBuilder()
  const restarts: Restart[] = []
  for (let round = 0; round <= rounds; round++) {
    const lmdb = await LmdbDurability.open(join(directory, 'disk'))
    const faulty = new disk(lmdb, random)
    const backend = openDurable(faulty, { clock: fastClock, history: { milliseconds: 1e9 } })
    const { revision } = backend.takeSnapshot()
    if (round > 0) {
      restarts.push({ time: readClock(), revision })
      await new RecordedBackend(backend, history, `after${round}`, 0).list(allKeys)
    }
    if (round < rounds) {
      const load = startLoad(backend, history, revision, {
        name: `r${round}`,
        clients: 8,
        watchers: 3,
        keys: 30,
        valueBytes: 200,
        calls: 400,
        random,
        past: 20,
      })
      for (let i = 0; i < 60 && !faulty.failed; i++) await Promise.race([load.done, sleep(20)])
      await sleep(20)
      load.stop()
      // From here on the disk does nothing, as after a power cut.
      faulty.failed = true
      await sleep(5)
      await load.finish(0)
    }
    await lmdb.close()
    // Settles last, because until now a pending flush could still reach the disk.
    history.settle()
  }
  return checkHistory({ start: 1, calls: history.calls, watches: history.watches, restarts })
}
