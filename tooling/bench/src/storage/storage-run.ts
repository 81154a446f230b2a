import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { StorageItem } from './storage-items.ts'
import type { StorageFigure, StorageJob } from './storage-job.ts'

export interface StorageResult {
  readonly item: StorageItem
  /** In the order of the rounds. */
  readonly ours: readonly StorageFigure[]
  readonly bare: readonly StorageFigure[]
}

let runs = 0

/** Ours and bare in turns, and in each round the other one first: a machine that slows down or speeds up favours neither. */
export async function runStorageItem(
  item: StorageItem,
  options: { readonly seconds: number; readonly rounds: number; readonly etcd: string | undefined },
): Promise<StorageResult> {
  const measure = (load: string): Promise<StorageFigure> =>
    inOwnProcess({ load, seconds: options.seconds, run: runs++, etcd: options.etcd })
  const ours: StorageFigure[] = []
  const bare: StorageFigure[] = []
  for (let round = 0; round < options.rounds; round++) {
    if (round % 2 === 0) ours.push(await measure(item.ours))
    bare.push(await measure(item.bare))
    if (round % 2 === 1) ours.push(await measure(item.ours))
  }
  return { item, ours, bare }
}

function inOwnProcess(job: StorageJob): Promise<StorageFigure> {
  return new Promise((resolve, reject) => {
    const program = fileURLToPath(import.meta.resolve('./storage-process.ts'))
    const child = spawn(process.execPath, [program, JSON.stringify(job)], { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.on('data', (data: Buffer) => (printed += data.toString()))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(printed) as StorageFigure) : reject(new Error(`measuring "${job.load}" ended with ${code}`)),
    )
  })
}
