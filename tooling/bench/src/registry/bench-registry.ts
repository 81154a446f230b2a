import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { StorageFigure } from '../storage/storage-job.ts'
import type { RegistryItem } from './registry-items.ts'
import { createRegistryReport } from './registry-report.ts'
import type { RegistryReport } from './registry-report.ts'

/** Every item once in each round, each time in a process of its own: a machine that slows down or speeds up favours none. */
export async function benchRegistry(
  items: readonly RegistryItem[],
  options: { readonly seconds: number; readonly rounds: number },
): Promise<RegistryReport> {
  const figures = new Map<RegistryItem, StorageFigure[]>(items.map((item) => [item, []]))
  for (let round = 1; round <= options.rounds; round++) {
    for (const [item, measured] of figures) {
      console.error(`measuring (${round} of ${options.rounds}): ${item.title}`)
      measured.push(await inOwnProcess(item, options.seconds))
    }
  }
  return createRegistryReport(
    options.seconds,
    Array.from(figures, ([item, measured]) => ({ item, figures: measured })),
  )
}

function inOwnProcess(item: RegistryItem, seconds: number): Promise<StorageFigure> {
  return new Promise((resolve, reject) => {
    const program = fileURLToPath(import.meta.resolve('./registry-process.ts'))
    const child = spawn(process.execPath, [program, item.name, String(seconds)], { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.on('data', (data: Buffer) => (printed += data.toString()))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(printed) as StorageFigure) : reject(new Error(`measuring "${item.name}" ended with ${code}`)),
    )
  })
}
