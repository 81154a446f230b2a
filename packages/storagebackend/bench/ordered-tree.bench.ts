import { loadavg } from 'node:os'
import { OrderedTree, type TreeSnapshot } from '../src/index.ts'

/**
 * Measures the time and memory of an `OrderedTree` with 100,000 pod keys. Run with `node --expose-gc
 * packages/storagebackend/bench/ordered-tree.bench.ts`.
 */
interface Item {
  readonly key: string
  readonly revision: number
}
const size = 100_000
const rounds = 5
const everything = { start: '', end: '\u{10ffff}' }
const formatKey = (i: number): string => `/registry/pods/namespace-${i % 50}/pod-${String(i).padStart(6, '0')}-abcde`
const items = Array.from({ length: size }, (_, i): Item => ({ key: Buffer.from(formatKey(i)).toString(), revision: 1 }))
items.sort((a, b) => (a.key < b.key ? -1 : 1))
const shuffled = items.map((_, i) => items[(i * 7919) % size]!)
const replacements = shuffled.map((item): Item => ({ ...item, revision: 2 }))

let used = 0
function measureRate(name: string, operations: number, run: () => void): void {
  let best = Infinity
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    run()
    best = Math.min(best, performance.now() - started)
  }
  console.log(`${name.padEnd(44)} ${(operations / best / 1000).toFixed(2)} million per second`)
}

function measureBytes<R>(name: string, per: number, make: () => R): R {
  if (globalThis.gc === undefined) return make()
  globalThis.gc()
  const before = process.memoryUsage().heapUsed
  const made = make()
  globalThis.gc()
  console.log(`${name.padEnd(44)} ${((process.memoryUsage().heapUsed - before) / per).toFixed(1)} bytes each`)
  return made
}

function createTree(list: readonly Item[], eachTime?: (tree: OrderedTree<Item>) => unknown): OrderedTree<Item> {
  const tree = new OrderedTree<Item>()
  for (const item of list) {
    tree.set(item)
    eachTime?.(tree)
  }
  return tree
}

console.log(`load ${loadavg()[0]!.toFixed(2)}, node ${process.version}`)
const tree = measureBytes('entries, from sorted', size, () => OrderedTree.fromSorted(items))
const random = measureBytes('entries, set in random order', size, () => createTree(shuffled))
const ordered = measureBytes('entries, set in order', size, () => createTree(items))
const writes = size / 5
const history = measureBytes('versions, one for each write', writes, () =>
  Array.from({ length: writes }, (_, i): TreeSnapshot<Item> => {
    random.set(replacements[(i * 3) % size]!)
    return random.snapshot()
  }),
)
used += ordered.size + history.length

const state = tree.snapshot()
measureRate('get', size, () => {
  for (const { key } of replacements) used += state.get(key)!.revision
})
measureRate('scan', size * 10, () => {
  for (let i = 0; i < 10; i++) for (const item of state.scan(everything)) used += item.revision
})
measureRate('scan of 100 from a key', size, () => {
  for (let i = 0; i < size / 100; i++) {
    let remaining = 100
    for (const item of state.scan({ start: shuffled[i]!.key, end: everything.end })) {
      used += item.revision
      if (--remaining === 0) break
    }
  }
})
measureRate('count of a range', size, () => {
  for (let i = 1; i <= size; i++) used += state.count({ start: shuffled[i - 1]!.key, end: shuffled[i % size]!.key })
})
measureRate('set, replacing', size, () => {
  for (const item of replacements) tree.set(item)
})
measureRate('set, replacing, a snapshot after each', size, () => {
  for (const item of replacements) {
    tree.set(item)
    used += tree.snapshot().size
  }
})
measureRate('set, in random order', size, () => void createTree(shuffled))
measureRate('set, in order', size, () => void createTree(items))
measureRate('set, in random order, a snapshot after each', size, () => void createTree(shuffled, (each) => each.snapshot()))
measureRate('from sorted', size, () => void OrderedTree.fromSorted(items))
if (used === 0) throw new Error('the scan read no value')
