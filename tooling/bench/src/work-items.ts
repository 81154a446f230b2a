import type { BenchOptions } from './bench-options.ts'
import type { LoadJob } from './load-job.ts'
import { namespace, samplePod } from './sample-pod.ts'

export interface WorkItem {
  readonly name: string
  readonly title: string
  /** The load, without where it goes. `run` differs for each measurement, so that created names do too. */
  load(options: BenchOptions, run: number): Omit<LoadJob, 'url' | 'token' | 'seconds'>
  /** What the bare server answers with: the answer to this request. */
  readonly sample: { readonly method: string; readonly path: string }
  readonly status?: number
  /** Its figure is events delivered, not requests answered. */
  readonly countsEvents?: boolean
  /** The same load for a server that knows no paths. */
  bareLoad?(options: BenchOptions): Omit<LoadJob, 'url' | 'token' | 'seconds'>
}

const pods = `/api/v1/namespaces/${namespace}/pods`
const onePod = { method: 'GET', path: `${pods}/pod-0` }
const get = (path: string): { method: string; path: string } => ({ method: 'GET', path })
const annotate = (text: string): { method: string; contentType: string; body: string } => ({
  method: 'PATCH',
  contentType: 'application/merge-patch+json',
  body: JSON.stringify({ metadata: { annotations: { 'example.com/touched': text } } }),
})

export const workItems: readonly WorkItem[] = [
  { name: 'get', title: 'GET a pod', load: () => ({ connections: 16, pipeline: 8, request: onePod }), sample: onePod },
  { name: 'list', title: 'LIST all pods', load: () => ({ connections: 2, pipeline: 1, request: get(pods) }), sample: get(pods) },
  {
    name: 'create',
    title: 'CREATE pods',
    load: (options, run) => ({
      connections: 64,
      pipeline: 1,
      request: {
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}-create/pods`,
        contentType: 'application/json',
        body: JSON.stringify(samplePod(`new-${run}-{n}`, options.objectBytes)).replace(
          `"namespace":"${namespace}"`,
          `"namespace":"${namespace}-create"`,
        ),
      },
    }),
    sample: onePod,
    status: 201,
  },
  {
    name: 'patch',
    title: 'merge-patch pods',
    load: (options, run) => ({
      connections: 64,
      pipeline: 1,
      request: { ...annotate(`${run}-{n}`), path: `${pods}/pod-{n}`, modulo: options.objects },
    }),
    sample: onePod,
  },
  {
    name: 'watch',
    title: 'watch fan-out',
    load: (options, run) => ({
      connections: 8,
      pipeline: 1,
      request: { ...annotate(`watch-${run}-{n}`), path: `${pods}/pod-{n}`, modulo: options.objects },
      watch: { path: `${pods}?watch=1&resourceVersion={rv}`, streams: options.watchers },
    }),
    bareLoad: (options) => ({
      connections: 8,
      pipeline: 1,
      request: { method: 'POST', path: '/emit', contentType: 'application/json', body: '{}' },
      watch: { path: '/?watch=1', streams: options.watchers },
    }),
    sample: onePod,
    countsEvents: true,
  },
]
