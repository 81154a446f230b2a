import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listFailures, runChecks } from '../client-checks/run-checks.ts'
import type { CheckResult } from '../client-checks/run-checks.ts'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { startServerWithKubelet } from '../kubelet/server-with-kubelet.ts'
import type { ServerWithKubelet } from '../kubelet/server-with-kubelet.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'
import { findPythonWithClient } from './python-client.ts'

const openssl = findOpenssl()
const python = openssl === undefined ? undefined : await findPythonWithClient()
const program = fileURLToPath(new URL('main.py', import.meta.url))
const groups = ['objects', 'patches', 'lists', 'watches', 'dynamic_client', 'yaml_files', 'refusals', 'streams']

const runPython = (server: KeelsonProcess, of: readonly string[]): Promise<readonly CheckResult[]> =>
  runChecks({ file: python ?? '', args: ['-B', program, server.kubeconfig, ...of] })

describe.skipIf(python === undefined)("Python's kubernetes package", () => {
  let setup: ServerWithKubelet
  let results: readonly CheckResult[]

  beforeAll(async () => {
    setup = await startServerWithKubelet(openssl ?? '')
    for (const line of ['line one', 'line two', 'line three']) setup.kubelet.log(line)
    results = await runPython(setup.server, groups)
  }, 180_000)
  afterAll(() => setup[Symbol.asyncDispose]())

  test.each(groups)('passes all checks of the group %s', (group) => expect(listFailures(results, group)).toEqual([]))

  test('handles expired lists and watches', { timeout: 60_000 }, async () => {
    const dataDir = path.join(setup.directory, 'kept')
    await (await startKeelsonProcess({ dataDir })).stop()
    await using server = await startKeelsonProcess({ dataDir })
    expect(listFailures(await runPython(server, ['expiry']), 'expiry')).toEqual([])
  })
})
