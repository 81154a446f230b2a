import type { Profiler } from 'node:inspector'
import type { Frame, Profile, Sample } from './encode-pprof.ts'

/** Start time of a profile. */
export interface Taken {
  readonly timeNanoseconds: bigint
  readonly durationNanoseconds: number
}

/** Converts a CPU profile of V8 to pprof samples. */
export function convertCpuProfile({
  nodes,
  samples = [],
  timeDeltas = [],
  startTime,
  endTime,
}: Profiler.Profile): Pick<Profile, 'types' | 'period' | 'samples'> {
  const parents = new Map<number, number>()
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const usageById = new Map<number, { count: number; microseconds: number }>()
  for (const [index, id] of samples.entries()) {
    const usage = usageById.get(id) ?? { count: 0, microseconds: 0 }
    // A delta is the time since the previous sample, and the function of a sample ran until the next sample. So the delta of the next
    // sample counts for this one.
    usage.microseconds += Math.max(0, timeDeltas[index + 1] ?? 0)
    usage.count++
    usageById.set(id, usage)
  }
  function* yieldStacks(): Generator<Sample> {
    for (const [id, { count, microseconds }] of usageById) {
      const stack: Frame[] = []
      for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
        const frame = byId.get(at)?.callFrame
        if (frame !== undefined && frame.functionName !== '(root)') stack.push(frame)
      }
      const [leaf] = stack
      if (leaf !== undefined && leaf.functionName !== '(idle)') yield { stack, values: [count, microseconds * 1000] }
    }
  }
  const cpu = { type: 'cpu', unit: 'nanoseconds' }
  const every = samples.length === 0 ? 1_000_000 : ((endTime - startTime) * 1000) / samples.length
  return { types: [{ type: 'samples', unit: 'count' }, cpu], period: { ...cpu, every }, samples: yieldStacks() }
}

/** Average number of allocated bytes between two heap samples. */
export const heapInterval = 32_768

/** A node of V8's heap profile. */
export interface HeapNode {
  readonly id?: number
  readonly callFrame: Frame
  readonly selfSize: number
  readonly children: readonly HeapNode[]
}

export interface HeapProfile {
  readonly head: HeapNode
  readonly samples?: readonly { readonly nodeId: number }[]
}

/** Converts a heap profile of V8 to pprof samples of allocated memory that is still in use. */
export function convertHeapProfile({ head, samples = [] }: HeapProfile): Pick<Profile, 'types' | 'period' | 'samples'> {
  const counts = new Map<number, number>()
  for (const { nodeId } of samples) counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1)
  function* yieldStacks(): Generator<Sample> {
    const open: { node: HeapNode; callers: readonly Frame[] }[] = [{ node: head, callers: [] }]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { node, callers } = next
      const stack = node.callFrame.functionName === '(root)' ? callers : [node.callFrame, ...callers]
      if (node.selfSize > 0 && stack.length > 0) yield { stack, values: [counts.get(node.id ?? 0) ?? 1, node.selfSize] }
      for (const child of node.children) open.push({ node: child, callers: stack })
    }
  }
  const space = { type: 'inuse_space', unit: 'bytes' }
  return {
    types: [{ type: 'inuse_objects', unit: 'count' }, space],
    period: { type: 'space', unit: 'bytes', every: heapInterval },
    samples: yieldStacks(),
  }
}
