import { startEtcd } from '@keelson/tooling-e2e/etcd-process'
import { findEtcd } from '@keelson/tooling-e2e/find-etcd'
import type { StorageItem } from './storage-items.ts'
import { createStorageReport, type StorageReport } from './storage-report.ts'
import { runStorageItem, type StorageResult } from './storage-run.ts'

/** Each item in turn. Those on etcd are left out, and said so, where there is none. */
export async function benchStorage(
  items: readonly StorageItem[],
  options: { readonly seconds: number; readonly rounds: number },
): Promise<StorageReport> {
  await using stack = new AsyncDisposableStack()
  const binary = items.some(({ etcd }) => etcd === true) ? findEtcd() : undefined
  const etcd = binary === undefined ? undefined : stack.use(await startEtcd(binary))
  const results: StorageResult[] = []
  for (const item of items) {
    if (item.etcd === true && !etcd) {
      console.error(`left out: ${item.title} (no etcd: set ETCD_BIN)`)
      continue
    }
    console.error(`measuring: ${item.title}`)
    results.push(await runStorageItem(item, { ...options, etcd: etcd?.url }))
  }
  return createStorageReport(options.seconds, results)
}
