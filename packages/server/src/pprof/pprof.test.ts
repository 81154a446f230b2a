import { Session } from 'node:inspector/promises'
import { expect, test } from 'vitest'
import { encodePprof } from './encode-pprof.ts'
import { convertCpuProfile, convertHeapProfile } from './runtime-profiles.ts'

const createFrame = (functionName: string, lineNumber: number) => ({ functionName, url: 'file:///a.ts', lineNumber })

test('links samples, locations, functions and strings by index', () => {
  const bytes = encodePprof({
    types: [{ type: 'samples', unit: 'count' }],
    period: { type: 'cpu', unit: 'nanoseconds', every: 1000 },
    samples: [
      { stack: [createFrame('leaf', 1), createFrame('root', 9)], values: [3] },
      { stack: [createFrame('root', 9)], values: [300] },
    ],
    timeNanoseconds: 1n << 60n,
    durationNanoseconds: 5,
  })
  const profile = read(bytes)
  const strings = profile.get(6)!.map(String)
  expect(strings[0]).toBe('')
  const functions = profile.get(5)!.map((of) => read(of as Buffer))
  const locations = profile.get(4)!.map((of) => read(of as Buffer))
  const findFunctionName = (location: number): string => {
    const line = read(locations[location - 1]!.get(4)![0] as Buffer)
    return `${strings[Number(functions[Number(line.get(1)![0]) - 1]!.get(2)![0])]}:${line.get(2)![0]}`
  }
  const samples = profile.get(2)!.map((of) => read(of as Buffer))
  expect(samples.map((sample) => decodeVarints(sample.get(1)![0] as Buffer).map(findFunctionName))).toEqual([
    ['leaf:2', 'root:10'],
    ['root:10'],
  ])
  expect(samples.map((sample) => decodeVarints(sample.get(2)![0] as Buffer))).toEqual([[3], [300]])
  expect(profile.get(9)).toEqual([1n << 60n])
})

test("converts the profiles of Node's runtime to stacks", async () => {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
  await session.post('HeapProfiler.startSampling', { samplingInterval: 1024 })
  const allocated = keepBusy(200_000)
  const cpu = [...convertCpuProfile((await session.post('Profiler.stop')).profile).samples]
  const heap = [...convertHeapProfile((await session.post('HeapProfiler.stopSampling')).profile).samples]
  session.disconnect()
  expect(allocated.length).toBe(200_000)
  for (const samples of [cpu, heap]) {
    expect(samples.some(({ stack }) => stack.some(({ functionName }) => functionName === 'keepBusy'))).toBe(true)
    for (const { values } of samples) for (const value of values) expect(value).toBeGreaterThanOrEqual(0)
  }
})

function keepBusy(count: number): object[] {
  const objects: object[] = []
  for (let i = 0; i < count; i++) objects.push({ text: `${i}`, more: [i, Math.sqrt(i)] })
  return objects
}

function read(bytes: Buffer): Map<number, (Buffer | bigint)[]> {
  const fields = new Map<number, (Buffer | bigint)[]>()
  for (let at = 0; at < bytes.length;) {
    const tag = decodeVarint(bytes, at)
    const value = decodeVarint(bytes, tag.next)
    const field = Number(tag.value >> 3n)
    const end = value.next + ((tag.value & 7n) === 2n ? Number(value.value) : 0)
    fields.set(field, [
      ...(fields.get(field) ?? []),
      end === value.next && (tag.value & 7n) === 0n ? value.value : bytes.subarray(value.next, end),
    ])
    at = end
  }
  return fields
}

function decodeVarints(bytes: Buffer): number[] {
  const values: number[] = []
  for (let at = 0; at < bytes.length;) {
    const { value, next } = decodeVarint(bytes, at)
    values.push(Number(value))
    at = next
  }
  return values
}

function decodeVarint(bytes: Buffer, at: number): { value: bigint; next: number } {
  let value = 0n
  for (let shift = 0n; ; shift += 7n) {
    const byte = bytes[at++]!
    value |= BigInt(byte & 127) << shift
    if (byte < 128) return { value, next: at }
  }
}
