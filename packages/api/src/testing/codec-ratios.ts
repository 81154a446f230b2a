import type { KindType } from '../kind-type.ts'
import { createFixturePod } from './fixture-pod.ts'

export interface CodecRatios {
  /** Time to decode protobuf, divided by the time of JSON.parse. */
  readonly decode: number
  readonly encode: number
  readonly lines: readonly string[]
}

export interface Effort {
  readonly rounds: number
  readonly iterations: number
}

/**
 * Measures protobuf and JSON in alternating rounds and compares the fastest round of each. Measures processor time, so that other load has little
 * effect.
 */
export function measureCodecRatios(pod: KindType, effort: Effort): CodecRatios {
  const object = createFixturePod()
  const json = JSON.stringify(object)
  const bytes = pod.encodeProto(object)
  const parse = (): unknown => JSON.parse(json)
  const stringify = (): unknown => JSON.stringify(object)
  const decode = (): unknown => pod.decodeProto(bytes)
  const encode = (): unknown => pod.encodeProto(object)
  const [parseTime, decodeTime, stringifyTime, encodeTime] = fastest([parse, decode, stringify, encode], effort) as [
    number,
    number,
    number,
    number,
  ]
  return {
    decode: decodeTime / parseTime,
    encode: encodeTime / stringifyTime,
    lines: [
      `pod: ${json.length} bytes of JSON, ${bytes.length} of protobuf`,
      `decode ${micro(decodeTime)} (JSON.parse ${micro(parseTime)}): ${(decodeTime / parseTime).toFixed(2)}×, bar 2×`,
      `encode ${micro(encodeTime)} (JSON.stringify ${micro(stringifyTime)}): ${(encodeTime / stringifyTime).toFixed(2)}×, bar 3×`,
    ],
  }
}

function fastest(actions: readonly (() => unknown)[], { rounds, iterations }: Effort): number[] {
  const best = actions.map(() => Infinity)
  for (let round = 0; round < rounds; round++) {
    for (const [index, action] of actions.entries()) {
      const start = process.cpuUsage()
      for (let i = 0; i < iterations; i++) action()
      const { user, system } = process.cpuUsage(start)
      best[index] = Math.min(best[index]!, ((user + system) * 1000) / iterations)
    }
  }
  return best
}

function micro(nanoseconds: number): string {
  return `${(nanoseconds / 1000).toFixed(2)} µs`
}
