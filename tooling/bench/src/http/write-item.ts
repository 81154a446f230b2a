import type { CacheItem } from '../cache/cache-item.ts'
import { pods } from '../cache/fill-store.ts'
import { cpuShare, inTurns, pairLines, percent } from '../in-turns.ts'
import type { RequestTemplate } from '../load-job.ts'
import { measure, runClient } from '../measure.ts'
import { namespace } from '../sample-pod.ts'
import { ask, startBare } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { middleOf } from '../storage/storage-verdict.ts'
import { applyPod, createPod, digits, patchPod } from './pod-writes.ts'

const loads = { create: createPod, patch: patchPod, apply: applyPod } as const
const titles = { create: 'CREATE pods', patch: 'merge-patch pods', apply: 'apply pods' } as const
/** Enough that changes in flight do not meet. */
const written = 5000
const connections = 32

/** Writes per second to a server with a durable store of its own, and how much that is of what only parses, puts durably and answers. */
export function writeItem({ name, least }: { readonly name: keyof typeof loads; readonly least: number }): CacheItem {
  return {
    name,
    title: `${titles[name]}, 32 clients`,
    async run(bench) {
      const server = await bench.emptyServer()
      await fill(server, name === 'apply' ? applyPod(0) : createPod(0))
      let run = 1
      const request = (): RequestTemplate => ({ ...loads[name](run++), ...(name === 'create' ? {} : { modulo: written }) })
      const sample = await ask(server, 'GET', `${pods}/w0-${'0'.repeat(digits)}`)
      if (sample.status !== 200) throw new Error(`a pod that was made could not be read: ${sample.status}`)
      await using bare = await startBare(bench.scratch, { body: sample.body, status: name === 'create' ? 201 : 200, kind: 'durable' })
      const { seconds } = bench
      const load = { connections, pipeline: 1, seconds }
      const pairs = await inTurns(bench.rounds, {
        ours: () => measure(server, { ...load, request: request() }, false),
        bare: () => measure(bare, { ...load, request: request() }, false),
      })
      const perSecond = middleOf(pairs.map(({ ours }) => ours.perSecond))
      const shares = pairs.map(({ ours, bare: limit }) => ours.perSecond / limit.perSecond)
      return {
        lines: [
          `pods of ${sample.body.length.toLocaleString('en')} bytes`,
          ...pairLines(pairs),
          `of what parses, puts durably and answers: ${percent(middleOf(shares))} (${shares.map(percent).join(', ')}); by processor time ${percent(cpuShare(pairs))}`,
        ],
        wanted: `at least ${least.toLocaleString('en')} per second`,
        reached: `${Math.round(perSecond).toLocaleString('en')} per second`,
        met: perSecond >= least,
      }
    },
  }
}

async function fill(server: ServerUnderTest, request: RequestTemplate): Promise<void> {
  for (const [target, name] of [
    ['/api/v1/namespaces', namespace],
    [`/api/v1/namespaces/${namespace}/serviceaccounts`, 'default'],
  ] as const) {
    const { status, body } = await ask(server, 'POST', target, { metadata: { name } })
    if (status !== 201) throw new Error(`${target} answered ${status}: ${body.toString()}`)
  }
  const { url, token } = server
  const made = await runClient({ url, token, connections, pipeline: 1, seconds: 600, count: written, request })
  if (made.failures > 0) throw new Error(`pods could not be made: ${made.firstFailure}`)
}
