import path from 'node:path'
import { formatPodName, pods } from '../fill-store.ts'
import type { DatasetSize } from '../fill-store.ts'
import type { Bench } from '../frame/bench.ts'
import type { Bar, Item } from '../frame/item.ts'
import { bareSide } from '../frame/judge.ts'
import { createLoadSide } from '../frame/load-side.ts'
import type { Load } from '../frame/load-side.ts'
import { createPod } from './pod-writes.ts'

const onePod: DatasetSize = { pods: 1, configMaps: 0 }
const get: Load = { connections: 10, pipeline: 1, request: { method: 'GET', path: `${pods}/${formatPodName(0)}` } }
let runs = Date.now() % 1_000_000_000

/** Compare servers with an audit log with a server without one. */
export const auditItems: readonly Item[] = [
  createAuditItem({
    name: 'get',
    title: 'GET of a pod with events of level Metadata in mode batch',
    mode: 'batch',
    level: 'Metadata',
    load: () => get,
    bar: { type: 'share', least: 0.95 },
  }),
  createAuditItem({
    name: 'get-blocking',
    title: 'GET of a pod with events of level Metadata in mode blocking',
    mode: 'blocking',
    level: 'Metadata',
    load: () => get,
  }),
  createAuditItem({
    name: 'create',
    title: 'creation of a 3 KB pod with events of level RequestResponse in mode batch',
    mode: 'batch',
    level: 'RequestResponse',
    load: () => ({ connections: 8, pipeline: 1, request: createPod('3 KB', `audit-${++runs}`) }),
  }),
]

interface AuditItemOptions {
  readonly name: string
  readonly title: string
  readonly mode: 'batch' | 'blocking'
  readonly level: 'Metadata' | 'RequestResponse'
  readonly load: () => Load
  readonly bar?: Bar
}

function createAuditItem({ name, title, mode, level, load, bar }: AuditItemOptions): Item {
  return {
    name: `audit/${name}`,
    title: `${title}, compared with a server without audit`,
    unit: 'requests/s',
    ...(bar !== undefined && { bar }),
    only: 'named',
    async open(bench) {
      const audited = (await bench.startServer(onePod, { copyName: 'audit', flags: createAuditFlags(bench, mode, level) }))!
      const unaudited = (await bench.startServer(onePod, { copyName: 'no-audit' }))!
      return {
        sides: [
          createLoadSide({ server: audited, unit: 'requests/s', load }),
          createLoadSide({ server: unaudited, name: bareSide, unit: 'requests/s', load }),
        ],
      }
    },
  }
}

function createAuditFlags({ scratch }: Bench, mode: string, level: string): readonly string[] {
  const policy = scratch.file(`audit-${level}.json`, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level }] }))
  const log = path.join(scratch.directory('audit'), 'audit.log')
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, `--audit-log-mode=${mode}`, '--audit-log-maxbackup=1']
}
