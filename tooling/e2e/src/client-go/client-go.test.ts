import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { listFailures, runChecks } from '../client-checks/run-checks.ts'
import type { CheckResult } from '../client-checks/run-checks.ts'
import { startKeelsonProcess } from '../keelson-process.ts'
import { startServerWithKubelet } from '../kubelet/server-with-kubelet.ts'
import { buildGoDirectory } from '../real-parts/build-go-directory.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'

const openssl = findOpenssl()
const program =
  openssl === undefined
    ? undefined
    : await buildGoDirectory({ subject: 'the program on client-go', name: 'client-go', url: new URL('.', import.meta.url) })
const groups = ['informers', 'kinds', 'leases', 'apply', 'patches', 'writes', 'lists', 'discovery', 'events', 'tokens', 'loop', 'streams']

describe.skipIf(program === undefined)('client-go', () => {
  let results: readonly CheckResult[]

  beforeAll(async () => {
    // Run both programs at once, because the second mostly waits for timeouts of informers.
    results = (await Promise.all([checkEverything(), checkRestart()])).flat()
  }, 180_000)

  test.each([...groups, 'restart'])('passes all checks of the group %s', (group) => expect(listFailures(results, group)).toEqual([]))
})

async function checkEverything(): Promise<readonly CheckResult[]> {
  await using parts = await startServerWithKubelet(openssl ?? '')
  for (const line of ['line one', 'line two', 'line three']) parts.kubelet.log(line)
  return await runChecks({ file: program ?? '', args: [parts.server.kubeconfig, ...groups] })
}

/** Runs the checks during which the server restarts. Restarts the server with the same port and data when the program requests it. */
async function checkRestart(): Promise<readonly CheckResult[]> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'keelson-client-go-'))
  let server = await startKeelsonProcess({ dataDir })
  const { port, kubeconfig } = server
  const answer = async (request: string): Promise<void> => {
    if (request === 'stop') await server.stop()
    if (request === 'kill') await server.kill()
    if (request === 'start') server = await startKeelsonProcess({ dataDir, port })
  }
  try {
    return await runChecks({ file: program ?? '', args: [kubeconfig, 'restart'], answer })
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
