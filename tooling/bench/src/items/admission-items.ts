import { startAdmissionHook } from '../admission/admission-hook.ts'
import { installPolicies, post } from '../admission/policies.ts'
import type { PolicyMatch } from '../admission/policies.ts'
import type { DatasetSize } from '../fill-store.ts'
import type { Bench } from '../frame/bench.ts'
import type { Figure, Item, Side } from '../frame/item.ts'
import { createLoadSide } from '../frame/load-side.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { createPod } from './pod-writes.ts'

const onePod: DatasetSize = { pods: 1, configMaps: 0 }
const clients = 8
/** Number of creates in a measurement. The clock of a process has a resolution of 10 ms, which is 2.5 µs of each create. */
const costCreates = 4000
const latencyCreates = 1000
const maxSeconds = 300
/** Number of warm-up writes. Afterwards V8 has compiled the write path and the policies. */
const warmRequests = 8000
const maxWarmSeconds = 60
let runs = Date.now() % 1_000_000_000

/** Compare the creation of a 3 KB pod with and without policies and webhooks. */
export const admissionItems: readonly Item[] = [
  createPolicyItem({ name: 'matching', what: '50 policies of 5 expressions that match', count: 50, match: 'pods', most: 250 }),
  createPolicyItem({
    name: 'not-matching',
    what: '1,000 policies of 5 expressions that do not match',
    count: 1000,
    match: 'others',
    most: 20,
  }),
  {
    name: 'admission/create',
    title: 'processor time to create a 3 KB pod with 50 policies of 5 expressions that match',
    unit: 'µs',
    only: 'named',
    compares: true,
    async open(bench, stack) {
      const server = await openServer(bench, 'admission-create')
      const others = await bench.startComparedServers(onePod, { copyName: 'admission-create' })
      for (const each of [server, ...others]) stack.defer(await installPolicies(each, 50, 'pods'))
      const [other] = others
      return {
        sides: [server, ...others].map((each) => createCostSide(each)),
        ...(other !== undefined && { bar: { type: 'ratio', of: server.name, to: other.name, maximum: 0.25 } as const }),
      }
    },
  },
  {
    name: 'admission/webhook',
    title: 'median time that a validating webhook adds to the creation of a 3 KB pod, without the time of the webhook',
    unit: 'ms',
    bar: { type: 'most', value: 0.5 },
    only: 'named',
    async open(bench, stack) {
      const without = createLatencySide(await openServer(bench, 'admission-none'))
      const server = await openServer(bench, 'admission-webhook')
      const hook = stack.use(await startAdmissionHook())
      await post(server, '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
        metadata: { name: 'bench' },
        webhooks: [
          {
            name: 'bench.example.com',
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            clientConfig: { url: hook.url, caBundle: hook.caBundle },
            rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
          },
        ],
      })
      const called = createLatencySide(server)
      return {
        sides: [
          {
            name: 'keelson',
            async warmUp() {
              await without.warmUp?.()
              return called.warmUp?.()
            },
            async measure(seconds) {
              const base = await without.measure(seconds)
              hook.readTime()
              const figure = await called.measure(seconds)
              const { milliseconds, calls } = hook.readTime()
              if (calls === 0) throw new Error('the webhook was not called')
              return { value: figure.value - base.value - milliseconds }
            },
          },
        ],
      }
    },
  },
]

interface PolicyItemOptions {
  readonly name: string
  readonly what: string
  readonly count: number
  readonly match: PolicyMatch
  /** Maximum processor time in microseconds that the policies add. */
  readonly most: number
}

function createPolicyItem({ name, what, count, match, most }: PolicyItemOptions): Item {
  return {
    name: `admission/${name}`,
    title: `processor time that ${what} add to the creation of a 3 KB pod`,
    unit: 'µs',
    bar: { type: 'most', value: most },
    only: 'named',
    async open(bench) {
      const server = await openServer(bench, `admission-${name}`)
      const side = createCostSide(server)
      const withPolicies = async <Result>(measure: () => Promise<Result>): Promise<Result> => {
        const remove = await installPolicies(server, count, match)
        try {
          return await measure()
        } finally {
          await remove()
        }
      }
      return {
        sides: [
          {
            name: 'keelson',
            warmUp: () => withPolicies(async () => side.warmUp?.()),
            // Both measurements use one process, because two processes differ by more than the policies cost.
            async measure(seconds) {
              const base = await side.measure(seconds)
              const figure = await withPolicies(() => side.measure(seconds))
              return { ...figure, value: figure.value - base.value }
            },
          },
        ],
      }
    },
  }
}

async function openServer(bench: Bench, copyName: string): Promise<ServerUnderTest> {
  return (await bench.startServer(onePod, { copyName, cores: 'all' }))!
}

/** Creates a side whose value is the server's processor time per create, in microseconds. */
function createCostSide(server: ServerUnderTest): Side {
  const load = createCreateSide(server, { connections: clients, count: costCreates })
  return {
    ...load,
    async measure(): Promise<Figure> {
      const { serverCpu = NaN, ...figure } = await load.measure(maxSeconds)
      return { ...figure, serverCpu, value: serverCpu * 1000 }
    },
  }
}

/** Creates a side whose value is the median latency of creates by a single client, in milliseconds. */
function createLatencySide(server: ServerUnderTest): Side {
  const load = createCreateSide(server, { connections: 1, count: latencyCreates })
  return { ...load, measure: () => load.measure(maxSeconds) }
}

function createCreateSide(server: ServerUnderTest, requests: { readonly connections: number; readonly count: number }): Side {
  return createLoadSide({
    server,
    unit: 'requests/s',
    load: () => ({ ...requests, pipeline: 1, request: createPod('3 KB', `admission-${++runs}`) }),
    value: ({ p50 }) => p50,
    warmAs: 'admission',
    warmRequests,
    maxWarmSeconds,
  })
}
