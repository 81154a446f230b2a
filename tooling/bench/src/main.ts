import { existsSync } from 'node:fs'
import path from 'node:path'
import { help, parseBenchOptions } from './bench-options.ts'
import type { BenchOptions } from './bench-options.ts'
import { createReport, reportTable, writeReport } from './bench-report.ts'
import { checkBare, prepare, runItem } from './bench-run.ts'
import type { ItemResult } from './bench-run.ts'
import { benchCache } from './cache/bench-cache.ts'
import type { CacheResult } from './cache/bench-cache.ts'
import { cacheItems } from './cache/cache-items.ts'
import { cacheSummary, cacheText, createCacheReport } from './cache/cache-report.ts'
import type { CacheItem } from './cache/cache-item.ts'
import { httpItems } from './http/http-items.ts'
import { benchRegistry } from './registry/bench-registry.ts'
import { registryItems } from './registry/registry-items.ts'
import { registryTable } from './registry/registry-report.ts'
import { Scratch, startKeelson } from './server-under-test.ts'
import type { ServerUnderTest } from './server-under-test.ts'
import { benchStorage } from './storage/bench-storage.ts'
import { storageItems } from './storage/storage-items.ts'
import { storageTable } from './storage/storage-report.ts'
import { workItems } from './work-items.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const leastBareOfRaw = 0.8

let options: BenchOptions | 'help'
try {
  options = parseBenchOptions(process.argv.slice(2))
} catch (error) {
  console.error((error as Error).message)
  process.exit(2)
}
if (options === 'help') console.log(help)
else {
  if (options.items.length > 0) await bench(options)
  if (options.storageItems.length > 0) await stores(options)
  if (options.cacheItems.length > 0) await bars('cache', chosenOf(cacheItems, options.cacheItems), options)
  if (options.httpItems.length > 0) await bars('http', chosenOf(httpItems, options.httpItems), options)
  if (options.registryItems.length > 0) await registry(options)
}

async function stores(chosen: BenchOptions): Promise<void> {
  const report = await benchStorage(
    storageItems.filter(({ name }) => chosen.storageItems.includes(name)),
    chosen,
  )
  console.log(storageTable(report))
  console.log(`\nwritten to ${path.relative(process.cwd(), writeReport(report, path.join(root, 'bench/results')))}`)
}

function chosenOf(items: readonly CacheItem[], names: readonly string[]): readonly CacheItem[] {
  return items.filter(({ name }) => names.includes(name))
}

async function bars(group: string, items: readonly CacheItem[], chosen: BenchOptions): Promise<void> {
  const onResult = (result: CacheResult): void => console.log(cacheText(group, result))
  const report = createCacheReport(await benchCache(items, { ...chosen, program: program(), onResult }))
  console.log(cacheSummary(report))
  console.log(`\nwritten to ${path.relative(process.cwd(), writeReport(report, path.join(root, 'bench/results')))}`)
}

async function registry(chosen: BenchOptions): Promise<void> {
  const report = await benchRegistry(
    registryItems.filter(({ name }) => chosen.registryItems.includes(name)),
    chosen,
  )
  console.log(registryTable(report))
  console.log(`\nwritten to ${path.relative(process.cwd(), writeReport(report, path.join(root, 'bench/results')))}`)
}

function program(): string {
  const file = process.env['KEELSON_PROGRAM'] ?? path.join(root, 'apps/apiserver/dist/main.js')
  if (!existsSync(file)) throw new Error(`${file} is not built`)
  return file
}

async function bench(chosen: BenchOptions): Promise<void> {
  using scratch = new Scratch()
  await using stack = new AsyncDisposableStack()
  const servers: ServerUnderTest[] = []
  if (chosen.own) {
    servers.push(stack.use(await startKeelson(scratch, program())))
  }
  if (chosen.other !== undefined) servers.push({ ...chosen.other, [Symbol.asyncDispose]: () => Promise.resolve() })

  const bareOfRaw = await checkBare(scratch, chosen)
  if (bareOfRaw < leastBareOfRaw)
    console.error(`the bare server reaches only ${Math.round(bareOfRaw * 100)} % of raw node:https: shares below are too high`)
  for (const server of servers) {
    console.error(`preparing ${chosen.objects} pods on ${server.name}`)
    await prepare(server, chosen)
  }
  const results: ItemResult[] = []
  for (const item of workItems.filter(({ name }) => chosen.items.includes(name))) {
    console.error(`measuring: ${item.title}`)
    results.push(await runItem(item, servers, scratch, chosen))
  }
  const report = createReport(chosen, bareOfRaw, results)
  console.log(reportTable(report))
  console.log(`\nwritten to ${path.relative(process.cwd(), writeReport(report, path.join(root, 'bench/results')))}`)
}
