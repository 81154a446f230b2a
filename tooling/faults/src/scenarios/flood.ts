import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { namespace } from '@keelson/tooling-bench/sample-pod'
import { findEtcd } from '@keelson/tooling-e2e/find-etcd'
import { findKubeApiserver } from '@keelson/tooling-e2e/find-kube-apiserver'
import { startFlooded, startReference } from '../flood/flooded-server.ts'
import type { FloodedServer, FloodUser } from '../flood/flooded-server.ts'
import { runDuringFlood } from '../flood/flood.ts'
import { sendSteadily } from '../flood/steady-requests.ts'
import type { SteadyOutcome, SteadyRequests } from '../flood/steady-requests.ts'
import { fail, newResult } from './scenario.ts'
import type { Scenario, ScenarioResult } from './scenario.ts'

/** Bytes that a flood receives at least. Error responses have fewer. */
const minFloodBytes = 5 * 2 ** 20
/** Maximum of the 99th percentile of the quiet user's requests, in milliseconds of processor time of the server's thread. */
const maxPercentileMs = 25
/** Renew deadline of leader election. A leader that cannot renew its lease for so long gives up. */
const renewDeadlineMs = 10_000

interface Size {
  readonly pods: number
  readonly connections: number
  /** Time in milliseconds for the connections of the flood to be opened. */
  readonly startMs: number
  readonly seconds: number
  /** False for short forms, whose few requests give no percentile. */
  readonly judgesPercentiles: boolean
}

const shortSize: Size = { pods: 1000, connections: 50, startMs: 2000, seconds: 4, judgesPercentiles: false }
const secondsPerRound = 10

/**
 * Scenario in which one user floods the server with large lists. Compares the latencies of a quiet user with those on kube-apiserver, if there is
 * one.
 */
export const flood: Scenario = {
  name: 'flood',
  about: '500 connections of one user that list 10,000 pods all the time: another user, leases and node heartbeats stay fast',
  // A round is ten seconds of one long measurement.
  rounds: 3,
  roundsPerPart: 3,
  shortRounds: 1,
  async run({ rounds, directory, note }) {
    const result = newResult()
    const size =
      rounds === 1
        ? shortSize
        : { pods: 10_000, connections: 500, startMs: 10_000, seconds: rounds * secondsPerRound, judgesPercentiles: true }
    const measured = await measureServer(directory, size, result)
    const binaries = { server: size.judgesPercentiles ? findKubeApiserver() : undefined, etcd: findEtcd() }
    if (binaries.server !== undefined && binaries.etcd !== undefined) {
      const reference = await measureReference({ server: binaries.server, etcd: binaries.etcd }, directory, size)
      result.notes.push(...reference.notes)
      if (measured.quiet.p99 > reference.quiet.p99)
        fail(
          result,
          `the quiet user's p99 is ${measured.quiet.p99.toFixed(1)} ms, and ${reference.quiet.p99.toFixed(1)} ms on kube-apiserver`,
        )
    }
    result.rounds = rounds
    for (const line of result.notes) note(line)
    return result
  },
}

interface FloodMeasurement {
  readonly quiet: SteadyOutcome
  readonly notes: readonly string[]
}

async function measureServer(directory: string, size: Size, result: ScenarioResult): Promise<FloodMeasurement> {
  const scratch = path.join(directory, 'server')
  await mkdir(scratch)
  await using server = await startFlooded(scratch, size.pods)
  const { quiet, heartbeats, elections, notes } = await measureFloods(server, size)
  result.notes.push(...notes)
  for (const [name, { requests, failures, max, processorP99 = 0 }] of Object.entries({ quiet, heartbeats, elections })) {
    result.operations += requests
    if (Object.keys(failures).length > 0) fail(result, `${name}: requests failed: ${JSON.stringify(failures)}`)
    if (size.judgesPercentiles && processorP99 > maxPercentileMs)
      fail(result, `${name}: the 99th percentile is ${processorP99.toFixed(1)} ms of processor time`)
    if (max > renewDeadlineMs) fail(result, `${name}: a request took ${max.toFixed(0)} ms`)
  }
  return { quiet, notes }
}

async function measureReference(
  binaries: { readonly server: string; readonly etcd: string },
  directory: string,
  size: Size,
): Promise<FloodMeasurement> {
  const scratch = path.join(directory, 'reference')
  await mkdir(scratch)
  await using server = await startReference(binaries, scratch, size.pods)
  // Without `await`, the server would be stopped at once.
  return await measureFloods(server, size)
}

/** Lets a user and then a controller flood the server, and measures other requests. */
async function measureFloods(
  server: FloodedServer,
  { connections, startMs, seconds }: Size,
): Promise<FloodMeasurement & Record<'heartbeats' | 'elections', SteadyOutcome>> {
  const notes: string[] = []
  const runFlood = async (user: FloodUser, measured: Readonly<Record<string, SteadyRequests>>): Promise<SteadyOutcome[]> => {
    let outcomes: SteadyOutcome[] = []
    const target = `/api/v1/namespaces/${namespace}/pods`
    const counts = await runDuringFlood({ url: server.url, user, path: target, connections }, async () => {
      await wait(startMs)
      outcomes = await Promise.all(Object.values(measured).map((requests) => sendSteadily(server, seconds, requests)))
    })
    if (counts.bytes < minFloodBytes)
      throw new Error(`${server.name}: the flood of ${user} did not reach the server: ${JSON.stringify(counts)}`)
    notes.push(`${server.name}, flood of ${user}: ${JSON.stringify(counts)}`)
    for (const [index, name] of Object.keys(measured).entries()) notes.push(`${server.name}, ${name}: ${describe(outcomes[index])}`)
    return outcomes
  }
  const [quiet] = await runFlood('flooding', {
    quiet: { user: 'quiet', rate: 20, method: 'GET', path: `/api/v1/namespaces/${namespace}/configmaps/small` },
  })
  const [heartbeats, elections] = await runFlood('controller', {
    heartbeats: renewLease('node', 'kube-node-lease', 'node-1'),
    elections: renewLease('leader', 'kube-system', 'kube-controller-manager'),
  })
  return { quiet: quiet as SteadyOutcome, heartbeats: heartbeats as SteadyOutcome, elections: elections as SteadyOutcome, notes }
}

function renewLease(user: FloodUser, leaseNamespace: string, name: string): SteadyRequests {
  return {
    user,
    rate: 5,
    method: 'PATCH',
    path: `/apis/coordination.k8s.io/v1/namespaces/${leaseNamespace}/leases/${name}`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: (number) => ({ spec: { holderIdentity: name, leaseTransitions: number } }),
  }
}

function describe(outcome: SteadyOutcome | undefined): string {
  if (outcome === undefined) return 'not measured'
  const { requests, failures, p99, max, processorP99 } = outcome
  const processor = processorP99 === undefined ? '' : `, p99 ${processorP99.toFixed(1)} ms of processor time`
  return `${requests} requests, p99 ${p99.toFixed(1)} ms, at most ${max.toFixed(1)} ms${processor}, failures ${JSON.stringify(failures)}`
}
